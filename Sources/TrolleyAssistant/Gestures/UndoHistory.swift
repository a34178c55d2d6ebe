package import TrolleyJournal

/// A list's Activity, taken entry by entry, as far as undo needs it: what each gesture of a device has replaced, and what holds
/// now. A device stores that with its entries; a token's program has no such place.
package struct UndoHistory: Sendable {
    private let device: DeviceID
    private var fold = ListFold()
    private var log: UndoLog
    private var purchases = PurchaseHistory()
    /// The author of each entry after the device's first one.
    private var authors: [EntryID: AccountID] = [:]
    /// When each item was added, as far as is known.
    private var added: [ItemID: Timestamp] = [:]

    /// - Parameter passed: entries of gestures in which others have decided everything since, and of which the assistant was told.
    package init(of device: DeviceID, passed: Set<EntryID> = []) {
        self.device = device
        log = UndoLog(passed: passed)
    }

    /// Takes the next entry of the list, in order.
    /// - Returns: about how many bytes it takes, beside those of its fields.
    package mutating func take(_ entry: ConfirmedEntry) -> Int {
        let isOwn = entry.device == device
        if isOwn { log.record(entry.entry, over: fold) }
        fold.apply(entry)
        purchases.take(entry)
        if !isOwn, !log.records.isEmpty { authors[entry.entry.id] = entry.author }
        let isAdd = entry.entry.operation == .add
        if isAdd, let item = entry.entry.item, added[item] == nil { added[item] = entry.receivedAt }
        return 160 + 100 * entry.entry.fields.count + (isAdd ? 900 : 0) + (isOwn ? 500 : 0)
    }

    /// Takes the device's latest gesture back that isn't yet; parts that somebody else has decided since stay.
    /// - Parameters:
    ///   - retained: since when the Activity is whole; nil: from the beginning.
    ///   - names: of the people on the list.
    /// - Returns: what to append, and the entries of a gesture that is complete although nothing could be done.
    /// - Throws: `AssistantFailure`.
    package func undo(
        on list: ListID, retainedFrom retained: Timestamp?, names: [AccountID: String], at now: Timestamp
    ) throws(AssistantFailure) -> (gesture: AssistantGesture, passed: [EntryID]) {
        guard let step = log.nextUndo(over: fold) else {
            return (AssistantGesture([]) { UndoAnswer(list, $0, skipped: []).writeMembers(to: &$1) }, [])
        }
        if let trip = trip(takenBackBy: step), trip.isOver(at: now) {
            throw AssistantFailure(
                """
                The last change marked something off on a trip that is over, with \(trip.picks.count) items. Nothing was \
                changed. If an item is still wanted, 'add' brings it back.
                """)
        }
        if let retained, isLost(step, retainedFrom: retained) {
            throw AssistantFailure(
                """
                The service no longer keeps what the last change replaced, so it can't be taken back. Nothing was changed; \
                'edit' can set what is wanted.
                """)
        }
        let state = fold.state
        let skipped = step.skipped.map { part in
            UndoAnswer.Skipped(
                what: part.subject.words(of: text(of: part.entry, state)),
                author: part.by.flatMap { authors[$0] }.flatMap { names[$0] })
        }
        let gesture = AssistantGesture(step.drafts) { entries, writer in
            UndoAnswer(list, entries, skipped: skipped).writeMembers(to: &writer)
        }
        return (gesture, step.drafts.isEmpty ? step.gesture.map(\.id) : [])
    }

    /// The trip of which the step would take something back.
    private func trip(takenBackBy step: UndoStep) -> Trip? {
        guard step.gesture.contains(where: { $0.operation == .markOff }) else { return nil }
        return purchases.trips.last { $0.isUndone(by: step.gesture) }
    }

    /// Whether the Activity may lack an entry whose decision the step would restore.
    private func isLost(_ step: UndoStep, retainedFrom retained: Timestamp) -> Bool {
        let restored = Set(step.drafts.compactMap(\.reverts))
        return log.records.contains { record in
            guard restored.contains(record.entry.id) else { return false }
            // What has happened to an item is whole if its beginning is there.
            if record.entry.operation.concernsItem, let item = record.entry.item, let begin = added[item],
                begin >= retained
            {
                return false
            }
            return record.replaced.contains { !$0.unchanged && $0.by == nil }
        }
    }

    /// The text of an entry's item; nil: the entry is about the list itself.
    private func text(of entry: JournalEntry, _ state: ListState) -> String? {
        entry.item.map { item in
            state.items.first { $0.id == item }?.text ?? entry.fields[Fields.text]?.string ?? "an item"
        }
    }
}

extension UndoStep.Subject {
    /// The part in words: 'the note of 'milk''.
    /// - Parameter item: the item's text; nil: it is of the list.
    fileprivate func words(of item: String?) -> String {
        let whose = item.map { " of '\($0)'" } ?? " of the list"
        return switch self {
        case .name: "the name\(whose)"
        case .colour: "the colour\(whose)"
        case .aisles: "the order of the aisles\(whose)"
        case .field(let key): "the \(key)\(whose)"
        case .place: "the place\(whose)"
        case .markedOff: "the mark\(whose)"
        case .deleted: item.map { "whether '\($0)' is on the list" } ?? "the list"
        }
    }
}
