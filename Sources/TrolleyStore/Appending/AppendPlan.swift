import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// The changes that an upload makes to a list's stream, each with its sequence. Pure: it reads no database.
struct AppendPlan {
    struct Entry {
        /// As the device sent it.
        let sent: ConfirmedEntry
        /// As devices receive it.
        let live: ConfirmedEntry

        var isResolved: Bool { sent.entry.after != live.entry.after }
    }

    let list: LockedList
    private(set) var entries: [Entry] = []
    /// Live entries that are discarded and sent again.
    private(set) var relocated: [EntryID] = []
    /// Archived entries that become live again.
    private(set) var restored: [ConfirmedEntry] = []
    private(set) var events: [Change] = []
    /// The list's head after the upload.
    private(set) var head: SequenceNumber

    /// The start of the Activity's retention; nil: everything is kept.
    private let retained: Timestamp?

    /// - Parameters:
    ///   - resolver: knows the items that compression removed; nil when the upload names none of them.
    ///   - retained: the start of the Activity's retention; nil: everything is kept.
    init(
        _ fresh: [ConfirmedEntry], in list: LockedList, resolver: AppendResolver? = nil,
        retainedFrom retained: Timestamp? = nil
    ) {
        self.list = list
        self.retained = retained
        head = list.head
        var resolver = resolver
        for var entry in fresh {
            entry.sequence = head.advanced(by: 1)
            guard let resolution = resolver?.resolve(entry) else {
                head = entry.sequence
                entries.append(Entry(sent: entry, live: entry))
                continue
            }
            follow(resolution, sent: entry)
        }
    }

    private mutating func follow(_ resolution: AppendResolver.Resolution, sent: ConfirmedEntry) {
        if !resolution.relocated.isEmpty {
            relocated += resolution.relocated
            head = head.advanced(by: 1)
            events.append(Change(sequence: head, body: .discard(ids: resolution.relocated, anchors: [:])))
        }
        for var entry in resolution.restored {
            head = head.advanced(by: 1)
            entry.sequence = head
            restored.append(entry)
        }
        head = head.advanced(by: 1)
        var (sent, live) = (sent, resolution.entry)
        sent.sequence = head
        live.sequence = head
        entries.append(Entry(sent: sent, live: live))
    }

    /// The statements that move entries.
    private var moves: [Query] {
        var queries: [Query] = []
        if !relocated.isEmpty { queries += ArchiveSQL.archive(relocated, of: list.id, retainedFrom: retained) }
        if !restored.isEmpty {
            queries += [
                .execute(
                    EntrySQL.restoreEntries,
                    [list.id, restored.map(\.entry.id), restored.map(\.sequence), restored.map(\.entry.after)]),
                .execute(EntrySQL.keepReturnedPlaces, [list.id, restored.map(\.sequence)]),
            ]
        }
        if !events.isEmpty { queries.append(EventSQL.insert(events.map { (list.id, $0) })) }
        return queries
    }
}

extension AppendPlan {
    /// All statements, in an order in which each finds the rows that it needs.
    var queries: [Query] {
        let sent = entries.map(\.sent)
        let columns = sent.map(\.entry.fields.column)
        let bytes = columns.reduce(0) { $0 + ($1?.text.utf8.count ?? 0) }
        let binds: [any PostgresEncodable] = [
            list.id, sent.map(\.sequence), sent.map(\.entry.id), sent.map(\.entry.operation.rawValue),
            sent.map(\.entry.item), sent.map(\.entry.after), columns, sent.map(\.entry.batch),
            sent.map(\.entry.cause.rawValue), sent.map(\.entry.reverts), sent.map(\.entry.deviceSequence),
            sent.map(\.author), sent.map(\.device), sent.map(\.madeAt), sent.map(\.receivedAt),
            entries.map(\.isResolved), entries.map { $0.isResolved ? $0.live.entry.after : nil },
        ]
        return [.execute(AppendSQL.insert, binds)] + moves + [
            .execute(AppendSQL.advance, [list.id, head, list.now, Int64(bytes), Int64(entries.count)])
        ] + TitleSQL.updates(from: entries.map(\.live), of: list.id)
    }
}

extension Fields {
    /// nil when there are no fields.
    var column: PostgresJSON? {
        if isEmpty { return nil }
        var writer = JSONWriter()
        write(to: &writer)
        return PostgresJSON(String(decoding: writer.bytes, as: UTF8.self))
    }
}
