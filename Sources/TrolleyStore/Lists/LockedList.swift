import TrolleyJournal
import TrolleyPostgres

/// A list whose lock this transaction holds.
struct LockedList {
    let id: ListID
    let head: SequenceNumber
    let epoch: UUIDBits
    /// When the lock was taken, by the database's clock.
    let now: Timestamp

    /// When an entry was made.
    /// - Parameters:
    ///   - age: the entry's age in milliseconds, as its device gave it.
    ///   - cap: the largest age.
    func madeAt(age: Int64, cap: Int64) -> Timestamp { now.advanced(byMilliseconds: -min(max(age, 0), cap)) }
}

extension LockedList {
    /// - Parameters:
    ///   - row: of `ListSQL.lock`, `lockUnchecked` or `AppendSQL.lock`.
    ///   - column: the index of the column with the list's head.
    init(_ list: ListID, row: Row, from column: Int = 0) throws(PostgresError) {
        let epoch = try row.decode(PostgresUUID.self, at: column + 1)
        self.init(
            id: list, head: try row.decode(at: column), epoch: UUIDBits(high: epoch.high, low: epoch.low),
            now: try row.decode(at: column + 2))
    }
}

/// A locked list and an account on it.
struct LockedMembership {
    let list: LockedList
    let role: Role
    let permission: Permission
}
