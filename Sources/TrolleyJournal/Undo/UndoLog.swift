/// The changes that this device's person has made to a list, for undo and redo.
///
/// One pass over the device's own entries, grouped into gestures, gives the two stacks. Undo appends *new* entries that
/// decide again what held before; redo undoes the undo. Parts that somebody else has decided since are skipped. The
/// depth is unlimited. The device stores the records with its entries, so undo survives a restart, and compression of
/// everybody's entries.
public struct UndoLog: Sendable {
    public private(set) var records: [Record] = []
    private var indices: [EntryID: Int] = [:]
    /// Entries of steps that are complete although nothing could be done for them.
    private var passed: Set<EntryID> = []

    /// One of the device's own entries, with the values that it replaced.
    public struct Record: Hashable, Sendable {
        public var entry: JournalEntry
        public var replaced: [PriorDecision]

        public init(entry: JournalEntry, replaced: [PriorDecision]) {
            self.entry = entry
            self.replaced = replaced
        }
    }

    /// - Parameters:
    ///   - records: the results of `record`, in the order in which the entries were made.
    ///   - passed: entries of steps that are complete, see ``UndoStep/drafts``.
    public init(records: some Swift.Sequence<Record> = EmptyCollection<Record>(), passed: Set<EntryID> = []) {
        self.passed = passed
        for record in records { append(record) }
    }

    /// Rebuilds the log of a device whose records are lost, from all entries of the list, as if each of the device's
    /// entries had been made when it was confirmed. A value can't be restored exactly if compression has discarded the
    /// entry that set it.
    public init(
        of device: DeviceID, replaying confirmed: some Swift.Sequence<ConfirmedEntry>,
        pending: some Swift.Sequence<PendingEntry> = EmptyCollection<PendingEntry>()
    ) {
        var list = ListFold()
        for entry in confirmed.inStreamOrder() {
            if entry.device == device { record(entry.entry, over: list) }
            list.apply(entry)
        }
        for entry in pending {
            record(entry.entry, over: list)
            list.append(entry)
        }
    }

    /// Records an entry that the device makes, before it is added to the fold.
    /// - Returns: the record to store with the entry; nil when the log has the entry already, and for messages and what is
    ///   about them: undo and redo are about the list alone.
    @discardableResult
    public mutating func record(_ entry: JournalEntry, over fold: ListFold) -> Record? {
        record(entry, over: fold.list)
    }

    mutating func record(_ entry: JournalEntry, over list: FoldedList) -> Record? {
        guard indices[entry.id] == nil, entry.operation.isUndoable else { return nil }
        let replaced = list.decisions(of: entry).map { register, value in
            var replaced = list.decision(on: register, of: entry.decidedItem)
            replaced.by = origin(of: replaced.by, on: register)
            replaced.unchanged = replaced.value == value
            return replaced
        }
        let record = Record(entry: entry, replaced: replaced)
        append(record)
        return record
    }

    /// Removes an entry that the server has rejected, since it has no effect.
    public mutating func forget(_ entry: EntryID) {
        self = UndoLog(records: records.filter { $0.entry.id != entry }, passed: passed)
    }

    /// Whether this device made the entry.
    func contains(_ entry: EntryID) -> Bool { indices[entry] != nil }

    /// The entry whose decision holds after this one: the entry itself or, for an undo or redo, the entry whose
    /// decision it restored.
    func origin(of entry: EntryID?, on register: PriorDecision.Register) -> EntryID? {
        guard let entry, let index = indices[entry] else { return entry }
        let own = records[index].replaced.first { $0.register == register }
        if let own, own.unchanged { return own.by }
        guard records[index].entry.cause != .edit, let reverted = records[index].entry.reverts.flatMap({ indices[$0] }),
            let restored = records[reverted].replaced.first(where: { $0.register == register })
        else { return entry }
        return restored.by
    }

    private mutating func append(_ record: Record) {
        guard indices.updateValue(records.count, forKey: record.entry.id) == nil else { return }
        records.append(record)
    }
}

extension UndoLog {
    /// The gestures that can be undone and redone, the next one last.
    func stacks() -> (undo: [ArraySlice<Record>], redo: [ArraySlice<Record>]) {
        var undo = GestureStack()
        var redo = GestureStack()
        for gesture in gestures {
            switch gesture.first?.entry.cause {
            case .undo: if undo.remove(revertedBy: gesture) { redo.append(gesture) }
            case .redo: if redo.remove(revertedBy: gesture) { undo.append(gesture) }
            case .edit, nil:
                redo = GestureStack()
                let makesList = gesture.startIndex == records.startIndex && gesture.first?.namesNewList == true
                if !makesList { undo.append(gesture) }
            }
        }
        func isOpen(_ gesture: ArraySlice<Record>) -> Bool { !gesture.contains { passed.contains($0.entry.id) } }
        return (undo.gestures.filter(isOpen), redo.gestures.filter(isOpen))
    }

    /// Consecutive entries of the same batch and cause.
    private var gestures: [ArraySlice<Record>] {
        var gestures: [ArraySlice<Record>] = []
        var start = records.startIndex
        for index in records.indices {
            let next = index + 1
            if next < records.endIndex, let batch = records[index].entry.batch, batch == records[next].entry.batch,
                records[index].entry.cause == records[next].entry.cause
            {
                continue
            }
            gestures.append(records[start..<next])
            start = next
        }
        return gestures
    }
}

extension UndoLog.Record {
    /// Whether the entry gave a new list its name. A list's creation is not taken back: without its name nobody would know
    /// it.
    fileprivate var namesNewList: Bool { entry.operation == .renameList && replaced.first?.by == nil }
}
