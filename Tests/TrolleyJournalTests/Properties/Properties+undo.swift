@testable import TrolleyJournal

extension Property {
    static let undoThenRedoIsWhereYouWere = Property(name: "undo then redo is where you were") { journal in
        var hands = Hands(journal)
        var states: [ListState] = []
        for _ in 0..<(1 + journal.seed % 4) {
            states.append(hands.fold.state)
            if hands.undo().isEmpty { states.removeLast() }
        }
        for state in states.reversed() {
            if hands.redo().isEmpty && hands.fold.state != state { return "nothing to redo" }
            if let why = unequal(hands.fold.state, state, "after redo") { return why }
        }
        return nil
    }

    static let undoingAllIsTheBeginning = Property(name: "alone on a list, undoing everything is the beginning") {
        journal in
        var alone = journal
        for index in alone.entries.indices {
            alone.entries[index].device = .sample(1)
            alone.entries[index].madeAt = Timestamp(milliseconds: Int64(index))
        }
        var hands = Hands(alone)
        for _ in alone.entries where hands.undo().isEmpty { break }
        // The gesture that gave the list its first name made it, and stays.
        guard let first = hands.log.records.first, first.entry.operation == .renameList else {
            return unequal(hands.fold.state, ListState(), "after undoing everything")
        }
        let gesture = hands.log.records.prefix {
            $0.entry.id == first.entry.id || $0.entry.batch != nil && $0.entry.batch == first.entry.batch
        }
        let ids = Set(gesture.map(\.entry.id))
        let made = ListState(folding: alone.entries.filter { ids.contains($0.entry.id) })
        return unequal(hands.fold.state.name, made.name, "the name it was made with")
    }

    static let undoLeavesOthersAlone = Property(name: "undo and redo change nothing that somebody else has decided") {
        journal in
        var hands = Hands(journal)
        for step in 0..<4 {
            let before = hands.fold.list
            let log = hands.log, fold = hands.fold
            for (step, brief) in [
                (log.nextUndo(over: fold), log.nextUndo(over: fold, isBrief: true)),
                (log.nextRedo(over: fold), log.nextRedo(over: fold, isBrief: true)),
            ] where brief?.gesture != step?.gesture {
                return "briefly \(String(describing: brief)), and not \(String(describing: step))"
            }
            let planned = journal.seed >> UInt64(step) & 1 == 0 ? hands.undo() : hands.redo()
            let state = hands.fold.list
            func isOthers(_ entry: EntryID?) -> Bool { entry.map { !hands.log.contains($0) } ?? false }
            for field in before.fields.all
            where isOthers(field.decision.by) && field.decision.by != state.fields[field.key]?.by {
                return "\(field.key) of the list: \(planned)"
            }
            for item in before.items {
                guard let after = state.item(item.id) else { return "an item is gone" }
                if isOthers(item.markedOff?.by), item.isShown, item.isMarkedOff != after.isMarkedOff {
                    return "marked off: \(planned)"
                }
                if isOthers(item.deleted?.by), item.isDeleted != after.isDeleted { return "deleted: \(planned)" }
                if isOthers(item.placedBy), item.placedBy != after.placedBy { return "moved: \(planned)" }
                for field in item.fields where isOthers(field.decision.by) {
                    if after.field(field.key)?.by != field.decision.by { return "\(field.key): \(planned)" }
                }
            }
        }
        return nil
    }

    static let undoSurvivesCompression = Property(name: "undo does the same after compression and a restart") {
        journal in
        var hands = Hands(journal)
        let live = Compression(of: journal.entries, olderThan: journal.cutOff).applied(to: journal.entries)
        let fold = ListFold(folding: live)
        // About a removed item, the guard knows less: see the vectors.
        guard hands.log.records.allSatisfy({ $0.entry.item.map { fold.list.item($0) != nil } ?? true }) else {
            return nil
        }
        var restarted = Hands(journal)
        restarted.log = UndoLog(records: hands.log.records)
        restarted.fold = fold
        let plan = hands.undo()
        let planAfterwards = restarted.log.planUndo(over: fold)
        // Only the neighbours show whether a move would change anything, and some of them may be gone.
        guard plan.map(\.reverts) == planAfterwards.map(\.reverts) else {
            let isMove = (plan + planAfterwards).contains { $0.operation == .move }
            return isMove ? nil : "\(planAfterwards), but before \(plan)"
        }
        var resolver = AppendResolver(activity: journal.entries, live: live)
        _ = restarted.perform(planAfterwards) { resolver.resolve($0).entry }
        return unequal(restarted.fold.state.digest, hands.fold.state.digest, "\(planAfterwards) and \(plan): digest")
    }
}

/// A person who has made the journal's entries of device 1, and now undoes and redoes them.
struct Hands {
    var log: UndoLog
    var fold: ListFold
    private var made = 0
    private let clock: Timestamp

    init(_ journal: JournalCase) {
        log = UndoLog(of: .sample(1), replaying: journal.entries)
        fold = ListFold(folding: journal.entries)
        clock = journal.entries.map(\.madeAt).max() ?? .seconds(0)
    }

    mutating func undo() -> [EntryDraft] { perform(log.planUndo(over: fold)) }
    mutating func redo() -> [EntryDraft] { perform(log.planRedo(over: fold)) }

    @discardableResult
    mutating func perform(
        _ drafts: [EntryDraft], resolving resolve: (ConfirmedEntry) -> ConfirmedEntry = { $0 }
    ) -> [EntryDraft] {
        let batch = BatchID.sample(10_000 + made)
        for draft in drafts {
            made += 1
            let entry = draft.entry(id: .sample(10_000 + made), batch: batch, deviceSequence: Int64(10_000 + made))
            let madeAt = clock.advanced(byMilliseconds: Int64(made))
            let confirmed = ConfirmedEntry(
                entry: entry, sequence: fold.through.advanced(by: 1), author: .sample(1), device: .sample(1),
                madeAt: madeAt, receivedAt: madeAt)
            log.record(entry, over: fold)
            fold.append(PendingEntry(entry: resolve(confirmed).entry, madeAt: madeAt))
        }
        return drafts
    }
}
