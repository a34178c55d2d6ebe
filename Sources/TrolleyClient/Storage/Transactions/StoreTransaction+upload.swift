import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The upload queue.

extension StoreTransaction {
    /// - Parameter folded: the list's fold; the transaction must have the only copy.
    func append(
        _ entries: [JournalEntry], to list: ListRow, made: DeviceTime, over folded: CachedFold? = nil
    ) throws -> [JournalEntry] {
        let folded = try folded ?? self.folded(list, removing: true)
        let device = try device()
        var number = try counter(of: list.id, device: device)
        var position = try Int64.fetchOne(db, sql: "SELECT made FROM list WHERE key = ?", arguments: [list.key]) ?? 0
        let estimate = made.estimate(after: folded.latest)
        var recorder = try UndoRecorder(self, list: list, folded: consume folded)
        let insert = try db.makeStatement(
            sql: """
                INSERT INTO pending (list, position, id, content, boot, uptime, wall, estimate)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var numbered: [JournalEntry] = []
        numbered.reserveCapacity(entries.count)
        for var entry in entries {
            number += 1
            position += 1
            entry.deviceSequence = number
            let content = try seal(entry, in: list.id)
            try insert.execute(arguments: [
                list.key, position, entry.id.data, content, made.boot, made.uptime, made.wall.milliseconds,
                estimate.milliseconds,
            ])
            try recorder.record(PendingEntry(entry: entry, madeAt: estimate), at: position, self)
            numbered.append(entry)
        }
        if list.shopping { try strike(numbered, in: list) }
        try setCounter(number, of: list.id, device: device)
        try db.execute(sql: "UPDATE list SET made = ? WHERE key = ?", arguments: [position, list.key])
        try keep(recorder.folded, of: list)
        return numbered
    }

    /// The last number that was assigned.
    func counter(of list: ListID, device: Data) throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT last FROM counter WHERE list = ? AND device = ?", arguments: [list.data, device]) ?? 0
    }

    func setCounter(_ last: Int64, of list: ListID, device: Data) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO counter (list, device, last) VALUES (?, ?, ?)",
            arguments: [list.data, device, last])
    }

    /// Whether the device knows that it made an entry of `pending`, also if it offers the entry again.
    private static let isKnownAsOwn = """
        (offered = 0 OR EXISTS (
          SELECT 1 FROM confirmed AS own WHERE own.list = pending.list AND own.id = pending.id AND own.offered = 0))
        """

    /// Keeps an entry that the service has, for the case that it is restored from an older backup.
    private static let keepForRestore = """
        INSERT OR REPLACE INTO confirmed (list, position, id, content, boot, uptime, wall, offered, kept)
        SELECT list, position, id, ?, boot, uptime, wall, NOT \(isKnownAsOwn), ? FROM pending WHERE list = ? AND id = ?
        """

    func waiting(in list: ListRow, limit: Int) throws -> [QueuedEntry] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, content, boot, uptime, wall, offered, \(Self.isKnownAsOwn)
                FROM pending INDEXED BY upload_queue
                WHERE list = ? AND sequence IS NULL ORDER BY position LIMIT ?
                """,
            arguments: [list.key, limit])
        var queued: [QueuedEntry] = []
        while let row = try rows.next() {
            let (entry, origin) = try openWithOrigin(row[1], id: try EntryID(data: row[0]), in: list.id)
            let made = DeviceTime(boot: row[2], uptime: row[3], wall: Timestamp(milliseconds: row[4]))
            queued.append(QueuedEntry(entry: entry, made: made, isOffered: row[5], isOwn: row[6], origin: origin))
        }
        return queued
    }

    /// - Returns: whether an entry's times have changed.
    func noteUploadEnded(_ end: UploadEnd, in list: ListRow) throws -> Bool {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT position, boot, uptime, wall, estimate, id, offered, sent AND EXISTS (
                  SELECT 1 FROM confirmed WHERE confirmed.list = pending.list AND confirmed.id = pending.id)
                FROM pending INDEXED BY upload_queue
                WHERE list = ? AND sequence IS NULL ORDER BY position LIMIT ?
                """, arguments: [list.key, UploadEnd.reach])
        var changed = false
        for row in rows {
            let queued = UploadEnd.Queued(
                isSent: end.sent.contains(try EntryID(data: row[5])), isOffered: row[6], isConfirmed: row[7],
                made: DeviceTime(boot: row[1], uptime: row[2], wall: Timestamp(milliseconds: row[3])),
                estimate: Timestamp(milliseconds: row[4]))
            guard let times = end.times(of: queued) else { continue }
            changed = true
            let position: Int64 = row[0]
            try db.cachedStatement(
                sql: "UPDATE pending SET boot = ?, uptime = ?, wall = ?, estimate = ? WHERE list = ? AND position = ?"
            ).execute(arguments: [
                times.made.boot, times.made.uptime, times.made.wall.milliseconds, times.estimate.milliseconds, list.key,
                position,
            ])
        }
        return changed
    }

    func settle(_ settlement: Settlement, in list: ListRow, at now: Timestamp) throws {
        for taken in settlement.taken {
            try db.cachedStatement(sql: "UPDATE pending SET sequence = ? WHERE list = ? AND id = ?")
                .execute(arguments: [taken.sequence.rawValue, list.key, taken.entry.data])
        }
        for entry in settlement.retired { try retire(entry, in: list, at: now) }
        guard !settlement.refused.isEmpty else { return }
        let name = try name(of: list)
        var isRenamed = !settlement.retired.isEmpty
        for refused in settlement.refused {
            let operation = try reject(refused, in: list, called: name, at: now)
            if operation == .renameList { isRenamed = true }
        }
        // Keeps the name, so that further rejections need not search the whole list for it.
        if !isRenamed { try keep(name: name, of: list) }
    }

    /// Removes the device's own entry from the queue after a fetch has passed its sequence; from now on the confirmed
    /// entries count.
    /// - Parameter confirmed: the entry as it came back; nil when it didn't.
    /// - Returns: whether the entry was in the queue.
    @discardableResult
    func retire(
        _ entry: EntryID, as confirmed: ConfirmedEntry? = nil, in list: ListRow, at now: Timestamp
    ) throws -> Bool {
        let pending = try db.cachedStatement(sql: "SELECT content FROM pending WHERE list = ? AND id = ?")
        guard var content = try Data.fetchOne(pending, arguments: [list.key, entry.data]) else { return false }
        if var confirmed, confirmed.receipt != nil {
            // As it was sent: the service may have given it another anchor.
            confirmed.entry = try openEntry(content, id: entry, in: list.id)
            content = try seal(confirmed, in: list.id)
        }
        try db.cachedStatement(sql: Self.keepForRestore).execute(arguments: [
            content, now.milliseconds, list.key, entry.data,
        ])
        try db.cachedStatement(sql: "DELETE FROM pending WHERE list = ? AND id = ?")
            .execute(arguments: [list.key, entry.data])
        return true
    }

    /// - Returns: the entry's operation; nil when it was not in the queue.
    @discardableResult
    func reject(
        _ refused: Settlement.Refused, in list: ListRow, called name: String?, at now: Timestamp
    ) throws -> TrolleyJournal.Operation? {
        let id = refused.entry
        let pending = try db.cachedStatement(sql: "SELECT content FROM pending WHERE list = ? AND id = ?")
        guard let content = try Data.fetchOne(pending, arguments: [list.key, id.data]) else { return nil }
        let entry = try openEntry(content, id: id, in: list.id)
        let rejection = RejectedContent(entry: entry, listName: name, detail: refused.detail)
        let sealed = try key.seal(rejection.json, at: list.id.bits.bytes + id.bits.bytes)
        // What was refused before, and offered again to a restored service, is shown once.
        try db.cachedStatement(
            sql: """
                INSERT INTO rejected (account, list, id, code, at, content) SELECT ?1, ?2, ?3, ?4, ?5, ?6
                WHERE NOT EXISTS (SELECT 1 FROM rejected WHERE account = ?1 AND list = ?2 AND id = ?3)
                """
        ).execute(arguments: [
            try account(), list.id.data, id.data, refused.code.rawValue, now.milliseconds, sealed,
        ])
        // The entry has no effect any more, so it can't be undone.
        for table in ["pending", "undo"] {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE list = ? AND id = ?")
                .execute(arguments: [list.key, id.data])
        }
        return entry.operation
    }

    func refusals() throws -> [PastFailure] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT code, COUNT(*), MAX(at) FROM rejected WHERE account = ? GROUP BY code",
            arguments: [try account()])
        var refusals: [PastFailure] = []
        while let row = try rows.next() {
            refusals.append(PastFailure(code: row[0], count: row[1], at: Timestamp(milliseconds: row[2])))
        }
        return refusals
    }

    func rejected() throws -> [RejectedEntry] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT list, id, code, at, content FROM rejected WHERE account = ? ORDER BY key",
            arguments: [try account()])
        var rejected: [RejectedEntry] = []
        while let row = try rows.next() {
            let list = try ListID(data: row[0])
            let id = try EntryID(data: row[1])
            let content = try RejectedContent(json: key.open(row[4], at: list.bits.bytes + id.bits.bytes))
            rejected.append(
                RejectedEntry(
                    list: list, listName: content.listName, entry: content.entry,
                    code: ProblemCode(word: row[2]), detail: content.detail,
                    rejectedAt: Timestamp(milliseconds: row[3])))
        }
        return rejected
    }
}

/// The encrypted part of a rejected entry.
private struct RejectedContent {
    var entry: JournalEntry
    var listName: String?
    var detail: String?

    init(entry: JournalEntry, listName: String?, detail: String?) {
        self.entry = entry
        self.listName = listName
        self.detail = detail
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("entry")
            entry.write(to: &writer)
            if let listName {
                writer.key("listName")
                writer.string(listName)
            }
            if let detail {
                writer.key("detail")
                writer.string(detail)
            }
        }
        return writer.bytes
    }

    init(json: Data) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in
            var entry: JournalEntry?
            var listName: String?
            var detail: String?
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "entry": entry = try JournalEntry(from: &reader)
                case "listName": listName = try reader.string()
                case "detail": detail = try reader.string()
                default: try reader.skip()
                }
            }
            guard let entry else { throw .invalid("entry is missing") }
            return RejectedContent(entry: entry, listName: listName, detail: detail)
        }
    }
}
