extension UndoLog {
    /// The entries that undo the latest gesture that can still be undone; all of one batch, in this order. Empty when
    /// there is nothing to undo.
    public func planUndo(over fold: ListFold) -> [EntryDraft] {
        plan(.undo, of: stacks().undo, over: fold)
    }

    /// The entries that redo the gesture that was undone last and can still be redone.
    public func planRedo(over fold: ListFold) -> [EntryDraft] {
        plan(.redo, of: stacks().redo, over: fold)
    }

    private func plan(_ cause: Cause, of stack: [ArraySlice<Record>], over fold: ListFold) -> [EntryDraft] {
        for gesture in stack.reversed() {
            let drafts = simulate(gesture, cause, over: fold).drafts
            if !drafts.isEmpty { return drafts }
        }
        return []
    }

    func simulate(
        _ gesture: ArraySlice<Record>, _ cause: Cause, over fold: ListFold, isBrief: Bool = false
    ) -> (drafts: [EntryDraft], skipped: [UndoStep.Skipped]) {
        var simulation = UndoSimulation(log: self, list: fold.list, cause: cause)
        for record in gesture.reversed() {
            simulation.revert(record)
            if isBrief, !simulation.drafts.isEmpty || !simulation.skipped.isEmpty { break }
        }
        return (simulation.drafts, simulation.skipped)
    }
}

/// Plans a step by carrying it out on a copy, because an entry of a batch may have replaced what an earlier entry of
/// the same batch had decided.
private struct UndoSimulation {
    var log: UndoLog
    var list: FoldedList
    let cause: Cause
    private(set) var drafts: [EntryDraft] = []
    private(set) var skipped: [UndoStep.Skipped] = []

    init(log: UndoLog, list: FoldedList, cause: Cause) {
        self.log = log
        self.list = list
        self.cause = cause
    }

    mutating func revert(_ record: UndoLog.Record) {
        let entry = record.entry
        let open = record.replaced.filter {
            !$0.unchanged && isStillDecided($0, by: entry) && changes($0, of: entry.decidedItem)
        }
        for replaced in record.replaced where !replaced.unchanged && !isStillDecided(replaced, by: entry) {
            noteSkipped(replaced, of: entry)
        }
        var fields = Fields()
        for replaced in open {
            switch (replaced.register, replaced.value) {
            case (.field(let key), .field(let value)): fields[key] = value
            case (.name, .field(let value)): perform(.renameList, fields: [Fields.text: value], reverting: entry)
            case (.colour, .field(let value)): perform(.recolourList, fields: [Fields.text: value], reverting: entry)
            case (.markedOff, .flag(let off)): perform(off ? .markOff : .unmark, reverting: entry)
            // An edit without fields restores an item and leaves everything else about it as other people have decided
            // it.
            case (.deleted, .flag(let deleted)): perform(deleted ? .delete : .edit, reverting: entry)
            case (.place, .after(let item)): perform(.move, after: item, reverting: entry)
            default: break
            }
        }
        if !fields.isEmpty {
            perform(entry.operation.concernsList ? .recolourList : .edit, fields: fields, reverting: entry)
        }
    }

    /// Whether this entry's decision still holds, or an undo or redo has restored it.
    private func isStillDecided(_ replaced: PriorDecision, by entry: JournalEntry) -> Bool {
        if SeededFault.isSeeded(.undoWithoutGuard) { return true }
        if let id = entry.decidedItem {
            // Compression has removed the item because it was finished. Only an entry that wants the item restores it.
            guard let item = list.item(id) else {
                return entry.operation == .markOff || replaced.register == .deleted && replaced.value == .flag(false)
            }
            guard item.isShown || replaced.register == .deleted else { return false }
        }
        let decided = list.decision(on: replaced.register, of: entry.decidedItem)
        return log.origin(of: decided.by, on: replaced.register) == log.origin(of: entry.id, on: replaced.register)
    }

    private mutating func noteSkipped(_ replaced: PriorDecision, of entry: JournalEntry) {
        guard changes(replaced, of: entry.decidedItem) else { return }
        // Of an item that is gone, only its deletion was decided.
        let isGone = entry.decidedItem.flatMap { list.item($0) }?.isShown == false
        let by = list.decision(on: isGone ? .deleted : replaced.register, of: entry.decidedItem).by
        // An earlier entry of the same gesture is not another person's.
        guard by.map({ !log.contains($0) }) ?? true else { return }
        skipped.append(
            UndoStep.Skipped(entry: entry, subject: .init(isGone ? .deleted : replaced.register, of: entry), by: by))
    }

    /// Whether restoring the value would change anything.
    private func changes(_ replaced: PriorDecision, of item: ItemID?) -> Bool {
        if let item, list.item(item) == nil { return true }
        return list.decision(on: replaced.register, of: item).value != replaced.value
    }

    private mutating func perform(
        _ operation: Operation, after: ItemID? = nil, fields: Fields = [:], reverting entry: JournalEntry
    ) {
        let draft = EntryDraft(
            operation, item: entry.decidedItem, after: after, fields: fields, cause: cause,
            reverts: entry.id)
        // No device makes such ids: their version is not one of a UUID.
        let id = EntryID(UUIDBits(high: .max, low: UInt64(drafts.count)))
        let rehearsed = draft.entry(id: id, batch: nil, deviceSequence: 0)
        _ = log.record(rehearsed, over: list)
        list.fold(rehearsed, at: Stamp(madeAt: Timestamp(milliseconds: .max), sequence: list.last.advanced(by: 1)))
        drafts.append(draft)
    }
}
