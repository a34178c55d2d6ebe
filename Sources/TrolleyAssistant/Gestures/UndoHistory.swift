package import TrolleyJournal

/// A list's Activity, taken entry by entry, as far as undo needs it: what each gesture of a device has replaced, and what holds
/// now. A device stores that with its entries; a token's program has no such place.
package struct UndoHistory: Sendable {
    private let device: DeviceID
    private let passed: Set<EntryID>
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
        self.passed = passed
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
    ///   - change: the only gesture to take back, by one of its entries. If it is taken back already, nothing is appended, so a call
    ///     may be repeated. nil: any.
    ///   - first: the deviceSequence of the device's first entry that may be taken back; nil: any entry.
    ///   - retained: since when the Activity is whole; nil: from the beginning.
    ///   - names: of the people on the list.
    /// - Returns: what to append, and the entries of a gesture that is complete although nothing could be done.
    /// - Throws: `AssistantFailure`.
    package func undo(
        _ change: EntryID? = nil, on list: ListID, from first: Int64? = nil, retainedFrom retained: Timestamp?,
        names: [AccountID: String], at now: Timestamp
    ) throws(AssistantFailure) -> (gesture: AssistantGesture, passed: [EntryID]) {
        let log = ownLog(from: first)
        let next = log.nextUndo(over: fold)
        if let change, next?.gesture.contains(where: { $0.id == change }) != true {
            return (try undone(change, in: log, before: next, on: list), [])
        }
        guard let step = next else {
            if first != nil {
                throw AssistantFailure(
                    "Earlier changes can't be taken back: too many changes came after them. Nothing was changed.")
            }
            return (AssistantGesture([]) { UndoAnswer(list, $0, skipped: []).writeMembers(to: &$1) }, [])
        }
        if let trip = trip(takenBackBy: step), trip.isOver(at: now) {
            throw AssistantFailure(
                """
                The last change marked something off on a trip that is over, with \(trip.picks.count) items. Nothing was \
                changed. If an item is still wanted, 'add' brings it back.
                """)
        }
        if let retained, isLost(step, in: log, retainedFrom: retained) {
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
        let gesture = AssistantGesture(step.drafts, undoing: step.gesture.first?.id) { entries, writer in
            UndoAnswer(list, entries, skipped: skipped).writeMembers(to: &writer)
        }
        return (gesture, step.drafts.isEmpty ? step.gesture.map(\.id) : [])
    }

    /// The device's entries from a number on.
    private func ownLog(from first: Int64?) -> UndoLog {
        guard let first else { return log }
        return UndoLog(records: log.records.filter { $0.entry.deviceSequence >= first }, passed: passed)
    }

    /// The answer for a change that is not the next one to take back.
    /// - Throws: `AssistantFailure` if it isn't taken back, and is not to be.
    private func undone(
        _ change: EntryID, in log: UndoLog, before next: UndoStep?, on list: ListID
    ) throws(AssistantFailure) -> AssistantGesture {
        let entries = log.records.map(\.entry)
        guard let index = entries.firstIndex(where: { $0.id == change }) else {
            throw AssistantFailure(
                "There is no change '\(change)' among this token's last changes on this list. Nothing was changed.")
        }
        let batch = entries[index].batch
        let gesture = Set(entries.filter { $0.id == change || batch != nil && $0.batch == batch }.map(\.id))
        let isUndone = entries.contains { entry in entry.reverts.map { gesture.contains($0) } == true }
        let later = entries[index...].first { $0.id == next?.gesture.first?.id }
        if let later, !isUndone, passed.isDisjoint(with: gesture) {
            throw AssistantFailure(
                "Another change was made later, '\(later.id)', and is taken back first. Nothing was changed.")
        }
        return AssistantGesture([], undoing: change) { UndoAnswer(list, $0, skipped: []).writeMembers(to: &$1) }
    }

    /// The trip of which the step would take something back.
    private func trip(takenBackBy step: UndoStep) -> Trip? {
        guard step.gesture.contains(where: { $0.operation == .markOff }) else { return nil }
        return purchases.trips.last { $0.isUndone(by: step.gesture) }
    }

    /// Whether the Activity may lack an entry whose decision the step would restore.
    private func isLost(_ step: UndoStep, in log: UndoLog, retainedFrom retained: Timestamp) -> Bool {
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
