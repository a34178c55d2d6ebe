import TrolleyJournal
import TrolleyWire

/// What is to be compressed of a list, worked out from a snapshot of it. Pure: it reads no database.
struct CompressionPlan: Sendable {
    let list: ListID
    /// The list's newest change in the snapshot, or one before it: what follows counts as having come since.
    let head: SequenceNumber
    let cutOff: Timestamp
    let examined: Int
    /// At least one, which may be empty.
    let steps: [Compression]
    /// Where what goes stands.
    let places: [EntryID: SequenceNumber]
    /// See ``Compression/holds(_:finished:)``.
    let finished: Set<ItemID>
    /// When what goes was received.
    let months: Set<Timestamp>
    /// When the oldest entry was received that the compression did not look at.
    let nextReceived: Timestamp?

    /// - Parameters:
    ///   - step: entries to discard in a step.
    ///   - entries: in stream order.
    init(list: ListID, head: SequenceNumber, cutOff: Timestamp, step: Int, entries: [ConfirmedEntry]) {
        self.list = list
        self.head = head
        self.cutOff = cutOff
        examined = entries.count
        let compression = Compression(of: entries, olderThan: cutOff)
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
        // Mostly all of one moment, and a month costs more to find out than whether it is the same.
        months = Set(Set(going.lazy.map(\.receivedAt)).map { Month($0).start })
    }
}

extension Compression {
    /// As devices are told of it.
    var change: Change.Body {
        .discard(
            ids: discarded.map(\.id), anchors: Dictionary(uniqueKeysWithValues: anchors.map { ($0.id, $0.after) }))
    }
}
