/// What this device's person has done to a list, and how to take it back: seed 003, on lists.
///
/// One pass over the device's own entries, grouped into gestures, gives the two stacks. Undoing appends *forward*
/// entries that decide again what stood before; redoing is undoing the undoing. Where somebody else has since decided
/// the same thing, that part is skipped. There is no limit to the depth. The device keeps the records with its
/// entries, so undo survives a restart, and compression of everybody's entries.
public struct UndoLog: Sendable {
    public private(set) var records: [Record] = []
    private var indices: [EntryID: Int] = [:]
    /// Entries of steps that count as done though nothing could be done about them.
    private var passed: Set<EntryID> = []

    /// One of the device's own entries, with what it replaced.
    public struct Record: Hashable, Sendable {
        public var entry: JournalEntry
        public var replaced: [Replaced]

        public init(entry: JournalEntry, replaced: [Replaced]) {
            self.entry = entry
            self.replaced = replaced
        }
    }

    /// - Parameters:
    ///   - records: as `record` gave them, in the order in which the entries were made.
    ///   - passed: entries of steps that count as done, see ``UndoStep/drafts``.
    public init(records: some Swift.Sequence<Record> = EmptyCollection<Record>(), passed: Set<EntryID> = []) {
        self.passed = passed
        for record in records { append(record) }
    }

    /// The log of a device whose records are lost, from all entries of the list: as if each of its entries had been made
    /// when it was confirmed. Where compression has discarded what an entry replaced, that can't be undone exactly.
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

    /// Notes an entry that the device makes, before it is put on top of the fold.
    /// - Returns: what to store with the entry; nil when it is in the log already.
    @discardableResult
    public mutating func record(_ entry: JournalEntry, over fold: ListFold) -> Record? {
        record(entry, over: fold.list)
    }

    mutating func record(_ entry: JournalEntry, over list: FoldedList) -> Record? {
        guard indices[entry.id] == nil else { return nil }
        let replaced = list.decisions(of: entry).map { register, value in
            var replaced = list.decision(on: register, of: entry.item)
            replaced.by = origin(of: replaced.by, on: register)
            replaced.unchanged = replaced.value == value
            return replaced
        }
        let record = Record(entry: entry, replaced: replaced)
        append(record)
        return record
    }

    /// Takes out an entry that the server has rejected: it never happened.
    public mutating func forget(_ entry: EntryID) {
        self = UndoLog(records: records.filter { $0.entry.id != entry }, passed: passed)
    }

    /// Whether this device made the entry.
    func contains(_ entry: EntryID) -> Bool { indices[entry] != nil }

    /// The decision that an entry stands for: its own, or, of an undo or redo, the one that it has restored.
    func origin(of entry: EntryID?, on register: Replaced.Register) -> EntryID? {
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
        var undo: [ArraySlice<Record>] = []
        var redo: [ArraySlice<Record>] = []
        for gesture in gestures {
            switch gesture.first?.entry.cause {
            case .undo: UndoLog.pop(what: gesture, reverts: &undo, onto: &redo)
            case .redo: UndoLog.pop(what: gesture, reverts: &redo, onto: &undo)
            case .edit, nil:
                redo = []
                undo.append(gesture)
            }
        }
        func isOpen(_ gesture: ArraySlice<Record>) -> Bool { !gesture.contains { passed.contains($0.entry.id) } }
        return (undo.filter(isOpen), redo.filter(isOpen))
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

    /// Steps above it that nothing could be done about, since others had decided everything in them again, stay.
    private static func pop(
        what gesture: ArraySlice<Record>, reverts stack: inout [ArraySlice<Record>],
        onto other: inout [ArraySlice<Record>]
    ) {
        let reverted = Set(gesture.compactMap { $0.entry.reverts })
        guard let index = stack.lastIndex(where: { $0.contains { reverted.contains($0.entry.id) } }) else { return }
        stack.remove(at: index)
        other.append(gesture)
    }
}
