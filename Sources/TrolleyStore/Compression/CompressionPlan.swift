import TrolleyJournal
import TrolleyWire

/// The compression of a list, computed from a snapshot. Pure: it reads no database.
struct CompressionPlan: Sendable {
    let list: ListID
    /// The list's head in the snapshot, or an earlier one: later changes count as having come since.
    let head: SequenceNumber
    let cutOff: Timestamp
    let examined: Int
    /// At least one step, which may be empty.
    let steps: [Compression]
    /// The sequences of the discarded entries.
    let places: [EntryID: SequenceNumber]
    /// See ``Compression/holds(_:finished:)``.
    let finished: Set<ItemID>
    /// The months in which the discarded entries were received.
    let months: Set<Timestamp>
    /// When the oldest entry was received that the compression did not examine.
    let nextReceived: Timestamp?

    /// - Parameters:
    ///   - step: the number of entries to discard in a step.
    ///   - entries: in stream order.
    ///   - removed: messages that earlier compressions have removed.
    init(
        list: ListID, head: SequenceNumber, cutOff: Timestamp, step: Int, entries: [ConfirmedEntry],
        removed: Set<EntryID> = []
    ) {
        self.list = list
        self.head = head
        self.cutOff = cutOff
        examined = entries.count
        let compression = Compression(of: entries, olderThan: cutOff, removed: removed)
        steps = compression.steps(of: step, in: entries)
        // Both are in stream order. By index: an iterator would copy each entry.
        var going: [ConfirmedEntry] = []
        going.reserveCapacity(compression.discarded.count)
        var nextReceived: Timestamp?
        for index in entries.indices {
            let receivedAt = entries[index].receivedAt
            if going.count < compression.discarded.count,
                entries[index].entry.id == compression.discarded[going.count].id
            {
                going.append(entries[index])
            } else if receivedAt >= cutOff {
                nextReceived = .earliest(nextReceived, receivedAt)
            }
        }
        self.nextReceived = nextReceived
        finished = compression.finishedItems(in: going)
        places = Dictionary(going.lazy.map { ($0.entry.id, $0.sequence) }, uniquingKeysWith: { first, _ in first })
        // Most are equal, and comparing times is cheaper than computing months.
        months = Set(Set(going.lazy.map(\.receivedAt)).map { Month($0).start })
    }
}

extension Compression {
    /// The change in the list's stream, as devices receive it.
    var change: Change.Body {
        .discard(
            ids: discarded.map(\.id), anchors: Dictionary(uniqueKeysWithValues: anchors.map { ($0.id, $0.after) }))
    }
}
