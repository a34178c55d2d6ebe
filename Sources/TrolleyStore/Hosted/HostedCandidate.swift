import TrolleyJournal
import TrolleyPostgres

/// A hosted device that nobody drives, and how far it is. Whether it has something to do shows when it is known how far its
/// account's lists are.
struct HostedCandidate: Hashable, Sendable {
    struct List: Hashable, Sendable {
        let id: ListID
        /// Up to where it was fetched; nil: it was not, or must be fetched afresh.
        let seen: SequenceNumber?
        /// Whether the service has the list, as far as the device knows.
        let isPublished: Bool
    }

    let session: Session
    /// Whether something waits in its upload queue.
    let isSending: Bool
    let lists: [List]

    /// Whether it has something to send, a list that has grown or is new, or one that is gone.
    /// - Parameter heads: of the account's lists.
    func hasWork(on heads: [ListID: ListHead]) -> Bool {
        if isSending { return true }
        let seen = Dictionary(lists.map { ($0.id, $0.seen) }, uniquingKeysWith: { first, _ in first })
        return heads.contains { list, head in (seen[list] ?? nil) != head.sequence }
            || lists.contains { $0.isPublished && heads[$0.id] == nil }
    }
}

extension HostedCandidate {
    /// - Parameter row: of `HostedDeviceSQL.candidates`.
    init(row: Row) throws(PostgresError) {
        session = try Session(row: row)
        isSending = try row.decode(at: 2)
        let lists = try row.decode([ListID]?.self, at: 3) ?? []
        let seen = try row.decode([SequenceNumber?]?.self, at: 4) ?? []
        let published = try row.decode([Bool]?.self, at: 5) ?? []
        self.lists = zip(lists, zip(seen, published)).map { List(id: $0, seen: $1.0, isPublished: $1.1) }
    }
}
