public import TrolleyJournal
import TrolleyWire

extension RoomMachine {
    /// The entries whose arrival in the journal matters: this device's that were told, and others' tentative ones.
    public var awaited: Set<EntryID> { told.union(view.tentative.map { $0.change.entry }) }

    /// The upload queue or the journal may have changed. While the room is live, tells the others what waits, and no longer
    /// shows what has arrived.
    /// - Parameters:
    ///   - waiting: this device's unconfirmed entries, in order. While there are more than ``RoomView/maximumTentative``, no
    ///     further ones are told, because nobody would show them all: then one more than that is enough.
    ///   - arrived: those of ``awaited`` that are in the journal.
    ///   - sequence: the last change in the journal; nil: it is empty.
    public mutating func journal(
        waiting: [JournalEntry], arrived: Set<EntryID>, through sequence: SequenceNumber?, at now: Timestamp
    ) -> [RoomAction] {
        guard case .live = phase else { return [] }
        var actions: [RoomAction] = []
        let ids = Set(waiting.map { $0.id })
        let untold = waiting.count > RoomView.maximumTentative ? [] : waiting.filter { !told.contains($0.id) }
        for entry in untold {
            guard entry.operation.concernsItem, let item = entry.item, entry.operation != .move else { continue }
            actions += changed(
                TentativeChange(
                    entry: entry.id, operation: entry.operation, item: item, text: entry.fields[Fields.text]?.string),
                at: now)
        }
        let gone = told.subtracting(ids)
        told = told.intersection(ids).union(untold.map { $0.id })
        for entry in gone.subtracting(arrived).sorted() { actions += withdrew(entry) }
        let uploaded = gone.intersection(arrived)
        if !uploaded.isEmpty, let sequence { actions += self.uploaded(uploaded, through: sequence) }
        landed(arrived)
        return actions
    }
}
