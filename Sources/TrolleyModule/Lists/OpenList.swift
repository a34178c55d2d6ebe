import TrolleyJournal
import TrolleySync
import TrolleyWire

/// An open list: it stays folded between calls, with the person's undo log.
final class OpenList {
    private(set) var fold = ListFold()
    private(set) var undo = UndoLog()
    private var passed: Set<EntryID> = []
    /// The time of the list's latest change.
    private var latest: Timestamp?
    /// Items that were marked off before the person ever saw them, with the entry that did it.
    private var unseen: [ItemID: EntryID] = [:]

    /// `{"entries"?: [confirmed], "pending"?: […], "records"?: […], "passed"?: [id], "unseen"?: […], "device"?: id}`.
    /// With `device` and without `records`, the undo log is rebuilt from the entries.
    init(_ message: JSONMessage) throws(WireError) {
        let object = message.object(streaming: .entries)
        let entries = message.entries
        let pending = object.pendingEntries()
        let records = object.objects("records")?.map { UndoLog.Record($0) }
        let device: DeviceID? = object.identifier("device")
        passed = object.entryIDs("passed")
        for seen in object.objects("unseen") ?? [] {
            unseen[ItemID(seen.requiredBits("item"))] = EntryID(seen.requiredBits("entry"))
        }
        try message.check()

        fold = ListFold(folding: entries, pending: pending)
        for entry in entries { note(entry.madeAt) }
        for entry in pending { note(entry.madeAt) }
        if let records {
            undo = UndoLog(records: records, passed: passed)
        } else if let device {
            undo = UndoLog(of: device, replaying: entries, pending: pending)
        }
    }

    private func note(_ madeAt: Timestamp) { latest = latest.map { max($0, madeAt) } ?? madeAt }

    /// The shown list.
    var state: ListState { fold.state(without: unseen) }

    /// Applies changes in the order of the stream.
    func apply(_ changes: [AppliedChange]) {
        let pending = fold.pending
        // Folds pending entries once, not after each change.
        fold.setPending([])
        var confirmed: Set<EntryID> = []
        for change in changes {
            switch change {
            case .entry(let entry):
                fold.apply(entry)
                confirmed.insert(entry.entry.id)
                note(entry.madeAt)
            case .discard(let entries): fold.discard(entries)
            case .nothing: break
            }
        }
        fold.setPending(pending.filter { !confirmed.contains($0.entry.id) })
    }

    func setPending(_ pending: [PendingEntry]) {
        fold.setPending(pending)
        for entry in pending { note(entry.madeAt) }
    }

    /// Adds new entries of the person as pending entries.
    /// - Parameter wall: the time on the device's wall clock.
    /// - Returns: the entries' provisional time until the service dates them, and each entry that has an effect with the
    ///   record to store with it; messages have none.
    func append(
        _ entries: [JournalEntry], at wall: Timestamp
    ) -> (madeAt: Timestamp, made: [(entry: JournalEntry, record: UndoLog.Record?)]) {
        let madeAt = DeviceTime(boot: "", uptime: 0, wall: wall).estimate(after: latest)
        var made: [(entry: JournalEntry, record: UndoLog.Record?)] = []
        for entry in entries {
            let record = undo.record(entry, over: fold)
            if record == nil, entry.operation.isUndoable { continue }
            fold.append(PendingEntry(entry: entry, madeAt: madeAt))
            made.append((entry, record))
        }
        note(madeAt)
        return (madeAt, made)
    }

    /// Removes entries that the service has rejected, since they have no effect.
    func forget(_ entries: Set<EntryID>) {
        fold.setPending(fold.pending.filter { !entries.contains($0.entry.id) })
        undo = UndoLog(records: undo.records.filter { !entries.contains($0.entry.id) }, passed: passed)
    }

    /// Marks gestures as undone that others have superseded.
    func pass(_ entries: Set<EntryID>) {
        passed.formUnion(entries)
        undo = UndoLog(records: undo.records, passed: passed)
    }

    /// Records items of the to-apply queue that were added and finished unseen.
    func noteUnseen(_ unseenItems: FinishedUnseenItems) {
        for (item, entry) in unseenItems.markedOff { unseen[item] = entry }
    }
}

extension JSONObject {
    /// `[{"entry": {…}, "madeAt": time}]`.
    func pendingEntries() -> [PendingEntry] {
        (objects("pending") ?? []).map {
            PendingEntry(entry: $0.requiredEntry("entry"), madeAt: $0.requiredTimestamp("madeAt"))
        }
    }
}
