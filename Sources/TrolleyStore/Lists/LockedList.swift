import TrolleyJournal
import TrolleyPostgres

/// A list whose lock this transaction holds, seen by one person on it.
struct LockedList {
    let id: ListID
    let head: SequenceNumber
    let epoch: UUIDBits
    /// When the lock was taken, by the database's clock.
    let now: Timestamp
    let role: Role
    let permission: Permission

    /// When an entry was made.
    /// - Parameters:
    ///   - age: the entry's age in milliseconds, as its device gave it.
    ///   - cap: the largest age.
    func madeAt(age: Int64, cap: Int64) -> Timestamp { now.advanced(byMilliseconds: -min(max(age, 0), cap)) }
}

extension LockedList {
    /// nil when either answer is empty: the account is not on the list.
    init?(_ list: ListID, lock: Rows, member: Rows) throws(PostgresError) {
        guard let lock = lock.first, let member = member.first else { return nil }
        let (role, permission) = try member.decode((Role, Permission).self)
        try self.init(list, row: lock, role: role, permission: permission)
    }

    /// - Parameters:
    ///   - row: of `ListSQL.lock`, `lockUnchecked` or `AppendSQL.lock`.
    ///   - column: the index of the column with the list's head.
    init(_ list: ListID, row: Row, from column: Int = 0, role: Role, permission: Permission) throws(PostgresError) {
        let epoch = try row.decode(PostgresUUID.self, at: column + 1)
        self.init(
            id: list, head: try row.decode(at: column), epoch: UUIDBits(high: epoch.high, low: epoch.low),
            now: try row.decode(at: column + 2), role: role, permission: permission)
    }
}
