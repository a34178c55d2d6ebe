import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoreTransaction {
    /// Puts rejected entries of lists that are still here into the upload queue again, as new entries with the same
    /// content.
    /// - Parameters:
    ///   - only: the only entry to retry; nil: all.
    ///   - fields: replace the entry's fields.
    /// - Returns: the number of entries.
    func retry(
        made: DeviceTime, only: EntryID? = nil, fields: Fields? = nil, identifier: () -> EntryID
    ) throws -> Int {
        let chosen = try rejected().filter { only == nil || $0.entry.id == only }
        var count = 0
        for (list, rejected) in Dictionary(grouping: chosen, by: \.list) {
            guard let row = try find(list) else { continue }
            let entries = rejected.map { rejected in
                var entry = rejected.entry
                entry.id = identifier()
                entry.fields = fields ?? entry.fields
                return entry
            }
            _ = try append(entries, to: row, made: made)
            try dismiss(rejected.map(\.entry.id), of: list)
            count += entries.count
        }
        return count
    }

    /// Dismisses rejected entries of one list.
    func dismiss(_ rejected: [EntryID], of list: ListID) throws {
        for id in rejected {
            try db.execute(
                sql: "DELETE FROM rejected WHERE account = ? AND list = ? AND id = ?",
                arguments: [try account(), list.data, id.data])
        }
    }

    func rejectedIDs(of list: ListID) throws -> Set<Data> {
        try Set(
            Data.fetchAll(
                db, sql: "SELECT id FROM rejected WHERE account = ? AND list = ?",
                arguments: [try account(), list.data]))
    }

    /// Dismisses the rejected entry with the id of a received one, if it is the same. It has left the queue, so from now on
    /// it is kept for a restored service as if it had come back from there.
    func dismissRejected(arrivedAs received: ConfirmedEntry, in list: ListRow, at now: Timestamp) throws {
        let rejected = try rejected().first { $0.list == list.id && $0.entry.id == received.entry.id }
        guard let rejected, rejected.hasArrived(as: received.entry) else { return }
        let entry = rejected.entry
        try dismiss([entry.id], of: list.id)
        try db.execute(
            sql: "UPDATE confirmed SET kept = ? WHERE list = ? AND id = ?",
            arguments: [now.milliseconds, list.key, entry.id.data])
        if db.changesCount > 0 { return }
        var content = try seal(entry, in: list.id)
        if received.receipt != nil {
            var sent = received
            sent.entry = entry
            content = try seal(sent, in: list.id)
        }
        try db.execute(
            sql: """
                INSERT INTO confirmed (list, position, id, content, boot, uptime, wall, kept)
                VALUES (?, ?, ?, ?, '', 0, ?, ?)
                """,
            arguments: [
                list.key, try position(of: entry, in: list), entry.id.data, content, received.madeAt.milliseconds,
                now.milliseconds,
            ])
    }

    /// The place in the queue that an entry had which has left it. Places and numbers advance together while the list stays
    /// on the device; for an entry from before that, it is a new one.
    private func position(of entry: JournalEntry, in list: ListRow) throws -> Int64 {
        let last = try counter(of: list.id, device: try device())
        let made = try Int64.fetchOne(db, sql: "SELECT made FROM list WHERE key = ?", arguments: [list.key]) ?? 0
        let position = made - last + entry.deviceSequence
        let isTaken = try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM pending WHERE list = ?1 AND position = ?2)
                  OR EXISTS (SELECT 1 FROM confirmed WHERE list = ?1 AND position = ?2)
                """, arguments: [list.key, position])
        if (1...max(1, made)).contains(position), isTaken == false { return position }
        try db.execute(sql: "UPDATE list SET made = ? WHERE key = ?", arguments: [made + 1, list.key])
        return made + 1
    }
}
