import TrolleyJournal
import TrolleyPostgres

/// A hosted device that no process runs, and the sequences of its lists. The heads of its account's lists then show
/// whether it has work.
struct HostedCandidate: Hashable, Sendable {
    struct List: Hashable, Sendable {
        let id: ListID
        /// The sequence up to which the list was fetched; nil: it was not, or must be fetched again.
        let seen: SequenceNumber?
        /// Whether the service has the list, as far as the device knows.
        let isPublished: Bool
    }

    let session: Session
    /// Whether an entry waits in its upload queue, on a list that doesn't wait by itself.
    let isSending: Bool
    let lists: [List]
    /// Lists that wait by themselves, and don't count.
    var waiting: Set<ListID> = []

    /// Whether it has an entry to send, or a list that has grown, is new or is gone.
    /// - Parameter heads: the heads of the account's lists.
    func hasWork(on heads: [ListID: ListHead]) -> Bool {
        if isSending { return true }
        let seen = Dictionary(lists.map { ($0.id, $0.seen) }, uniquingKeysWith: { first, _ in first })
        return heads.contains { list, head in !waiting.contains(list) && (seen[list] ?? nil) != head.sequence }
            || lists.contains { $0.isPublished && !waiting.contains($0.id) && heads[$0.id] == nil }
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
        waiting = Set(try row.decode([ListID].self, at: 6))
    }
}
