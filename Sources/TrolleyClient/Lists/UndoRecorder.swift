import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records with each of the device's entries what the entry replaces, so that it can be undone later.
struct UndoRecorder {
    private let list: ListRow
    private var log: UndoLog
    /// The list's fold, including the recorded entries.
    private(set) var folded: CachedFold

    init(_ transaction: borrowing StoreTransaction, list: ListRow, folded: consuming CachedFold) throws {
        self.list = list
        self.folded = folded
        // Recording needs only records of undone or skipped gestures.
        log = UndoLog(records: try transaction.undoRecords(of: list, tracing: true))
    }

    mutating func record(
        _ entry: PendingEntry, at position: Int64, _ transaction: borrowing StoreTransaction
    ) throws {
        let record = log.record(entry.entry, over: folded.fold)
        if record == nil, entry.entry.operation.isUndoable { return }
        folded.fold.append(entry)
        folded.note(entry.madeAt)
        guard let record else { return }
        var content = JSONWriter(capacity: 512)
        record.write(to: &content)
        if let reverts = entry.entry.reverts {
            try transaction.db.execute(
                sql: "UPDATE undo SET traces = 1 WHERE list = ? AND id = ?", arguments: [list.key, reverts.data])
        }
        let sealed = try transaction.key.seal(content.bytes, at: list.id.bits.bytes + entry.entry.id.bits.bytes)
        try transaction.db.cachedStatement(
            sql: "INSERT OR REPLACE INTO undo (list, position, id, traces, content) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [list.key, position, entry.entry.id.data, record.traces, sealed])
    }
}

extension StoreTransaction {
    /// - Parameter tracing: only records that recording another entry may need.
    func undoRecords(of list: ListRow, tracing: Bool) throws -> [UndoLog.Record] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, content FROM undo \(tracing ? "INDEXED BY undo_traces" : "")
                WHERE list = ? \(tracing ? "AND traces = 1" : "") ORDER BY position
                """,
            arguments: [list.key])
        var records: [UndoLog.Record] = []
        while let row = try rows.next() {
            let id = try EntryID(data: row[0])
            let json = try key.open(row[1], at: list.id.bits.bytes + id.bits.bytes)
            records.append(try JSONObject.read(json) { UndoLog.Record($0) })
        }
        return records
    }

    /// The next step that undo or redo would take on the list.
    func nextStep(_ cause: Cause, in list: ListRow, over folded: CachedFold) throws -> UndoStep? {
        let passed = try Data.fetchAll(
            db, sql: "SELECT id FROM undo WHERE list = ? AND passed = 1", arguments: [list.key])
        let log = UndoLog(
            records: try undoRecords(of: list, tracing: false), passed: Set(try passed.map { try EntryID(data: $0) }))
        return cause == .redo ? log.nextRedo(over: folded.fold) : log.nextUndo(over: folded.fold)
    }

    /// Undoes or redoes the person's last gesture on the list.
    /// - Parameter anyway: whether marks of a trip that is over are undone, too.
    /// - Returns: the step and its entries; nil when there is nothing to undo or redo.
    /// - Throws: `DeviceError.tripIsOver`.
    func revert(
        _ cause: Cause, in list: ListRow, anyway: Bool, made: DeviceTime, identifier: () -> EntryID, batch: BatchID
    ) throws -> (step: UndoStep, entries: [JournalEntry])? {
        let folded = try folded(list, removing: true)
        guard let step = try nextStep(cause, in: list, over: folded) else { return nil }
        if cause == .undo, !anyway, step.gesture.contains(where: { $0.operation == .markOff }),
            let trip = try trips(of: list).last(where: { $0.isUndone(by: step.gesture) }), trip.isOver(at: made.wall)
        {
            throw DeviceError.tripIsOver(trip.end, items: trip.picks.count)
        }
        let entries = step.drafts.map { $0.entry(id: identifier(), batch: batch, deviceSequence: 1) }
        guard entries.isEmpty else {
            return (step, try append(entries, to: list, made: made, over: folded))
        }
        for entry in step.gesture {
            try db.execute(
                sql: "UPDATE undo SET passed = 1 WHERE list = ? AND id = ?", arguments: [list.key, entry.id.data])
        }
        return (step, [])
    }
}

extension UndoLog.Record {
    /// Whether recording another entry may need this record.
    fileprivate var traces: Bool {
        entry.cause != .edit || replaced.contains { $0.unchanged }
    }
}
