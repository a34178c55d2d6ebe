public import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// What compressing one list did, or would do.
public struct CompressedList: Hashable, Sendable {
    public let list: ListID
    /// Live entries before.
    public let examined: Int
    public let discarded: Int
    /// Entries that stayed and got a new anchor.
    public let anchored: Int
}

extension Store {
    /// The database's clock: what cut-offs are reckoned from.
    public func now() async throws(StoreError) -> Timestamp {
        try await one(CompressionSQL.clock) { row throws(PostgresError) in try row.decode(Timestamp.self, at: 0) }
    }

    /// Lists with entries received before `cutOff` that compression has not looked at, longest waiting first.
    public func listsToCompress(olderThan cutOff: Timestamp) async throws(StoreError) -> [ListID] {
        try await all(CompressionSQL.eligible, [cutOff]) { row throws(PostgresError) in try row.decode(at: 0) }
    }

    /// Takes out of a list's journal what no longer matters: all of it or nothing, under the list's lock. What goes stays
    /// part of the Activity, its ids stay taken, and the list's stream tells devices. Safe to run twice, at once, or killed.
    /// - Returns: nil when there is no such list (any more).
    public func compress(
        _ list: ListID, olderThan cutOff: Timestamp, dryRun: Bool = false
    ) async throws(StoreError) -> CompressedList? {
        try await transaction { connection in
            let answers = try await connection.pipeline([
                .execute(ListSQL.lockUnasked, [list]), .execute(EntrySQL.ofList, [list]),
            ])
            guard let row = answers[0].first else { return nil }
            let locked = try LockedList(list, row: row, role: .owner, permission: .readWrite)
            let entries = try answers[1].map { try ConfirmedEntry(row: $0) }
            let compression = Compression(of: entries, olderThan: cutOff)
            if !dryRun { _ = try await connection.pipeline(compression.queries(list: locked, cutOff: cutOff)) }
            return CompressedList(
                list: list, examined: entries.count, discarded: compression.discarded.count,
                anchored: compression.anchors.count)
        }
    }
}

extension Compression {
    fileprivate func queries(list: LockedList, cutOff: Timestamp) -> [Query] {
        guard !isEmpty else { return [.execute(CompressionSQL.record, [list.id, list.head, cutOff])] }
        let sequence = list.head.advanced(by: 1)
        let ids = discarded.map(\.id)
        let change = Change(
            sequence: sequence,
            body: .discard(ids: ids, anchors: Dictionary(uniqueKeysWithValues: anchors.map { ($0.id, $0.after) })))
        return [
            .execute(EntrySQL.archive, [list.id, ids]),
            .execute(EntrySQL.reanchor, [list.id, anchors.map(\.id), anchors.map(\.after)]),
            EventSQL.insert([change], into: list),
            .execute(CompressionSQL.record, [list.id, sequence, cutOff]),
        ]
    }
}
