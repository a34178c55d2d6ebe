import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// What an upload adds to a list's stream, each thing in its place. Pure: it reads no database.
struct AppendPlan {
    struct Entry {
        /// As the device sent it.
        let sent: ConfirmedEntry
        /// As devices get it.
        let live: ConfirmedEntry
    }

    private(set) var entries: [Entry] = []
    /// Live entries that take other places.
    private(set) var lifted: [EntryID] = []
    /// Archived entries that come back.
    private(set) var returning: [ConfirmedEntry] = []
    private(set) var events: [Change] = []
    private(set) var head: SequenceNumber

    /// - Parameter resolver: what knows the items that compression took away; nil when none of them is named.
    init(_ fresh: [ConfirmedEntry], after head: SequenceNumber, resolver: AppendResolver? = nil) {
        self.head = head
        var resolver = resolver
        for var entry in fresh {
            entry.sequence = self.head.advanced(by: 1)
            guard let resolution = resolver?.resolve(entry) else {
                self.head = entry.sequence
                entries.append(Entry(sent: entry, live: entry))
                continue
            }
            follow(resolution, sent: entry)
        }
    }

    private mutating func follow(_ resolution: AppendResolver.Resolution, sent: ConfirmedEntry) {
        if !resolution.lifted.isEmpty {
            lifted += resolution.lifted
            head = head.advanced(by: 1)
            events.append(Change(sequence: head, body: .discard(ids: resolution.lifted, anchors: [:])))
        }
        for var entry in resolution.returning {
            head = head.advanced(by: 1)
            entry.sequence = head
            returning.append(entry)
        }
        head = head.advanced(by: 1)
        var (sent, live) = (sent, resolution.entry)
        sent.sequence = head
        live.sequence = head
        entries.append(Entry(sent: sent, live: live))
    }

    /// The statements that do it, in an order in which each finds what it needs.
    func queries(list: LockedList, session: Session) -> [Query] {
        var queries: [Query] = [.execute(EntrySQL.insert, binds(list: list, session: session))]
        if !lifted.isEmpty { queries += ArchiveSQL.archive(lifted, of: list.id) }
        if !returning.isEmpty {
            queries.append(
                .execute(
                    EntrySQL.bringBack,
                    [list.id, returning.map(\.entry.id), returning.map(\.sequence), returning.map(\.entry.after)]))
        }
        if !events.isEmpty { queries.append(EventSQL.insert(events, into: list)) }
        queries.append(.execute(ListSQL.advanceWithEntries, [list.id, head, list.now]))
        return queries
    }

    private func binds(list: LockedList, session: Session) -> [any PostgresEncodable] {
        let sent = entries.map(\.sent)
        let isResolved = entries.map { $0.sent.entry.after != $0.live.entry.after }
        return [
            list.id, session.account, session.device, list.now,
            sent.map(\.sequence), sent.map(\.entry.id), sent.map(\.entry.operation.rawValue), sent.map(\.entry.item),
            sent.map(\.entry.after), sent.map(\.entry.fields.column), sent.map(\.entry.batch),
            sent.map(\.entry.cause.rawValue), sent.map(\.entry.reverts), sent.map(\.entry.deviceSequence),
            sent.map(\.madeAt), isResolved, zip(entries, isResolved).map { $1 ? $0.live.entry.after : nil },
        ]
    }
}

extension Fields {
    /// nil without any field.
    fileprivate var column: PostgresJSON? {
        if isEmpty { return nil }
        var writer = JSONWriter()
        write(to: &writer)
        return PostgresJSON(String(decoding: writer.bytes, as: UTF8.self))
    }
}
