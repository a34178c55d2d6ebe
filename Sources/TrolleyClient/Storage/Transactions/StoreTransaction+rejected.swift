import GRDB
import TrolleyJournal
import TrolleySync

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
        var count = 0
        for rejected in try rejected() where only == nil || rejected.entry.id == only {
            guard let row = try find(rejected.list) else { continue }
            var entry = rejected.entry
            entry.id = identifier()
            entry.fields = fields ?? entry.fields
            _ = try append([entry], to: row, made: made)
            try dismiss([rejected.entry.id], of: rejected.list)
            count += 1
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

    /// Dismisses the rejected entry with the id of a received one, if it is the same.
    func dismissRejected(arrivedAs received: JournalEntry, in list: ListID) throws {
        let entry = try rejected().first { $0.list == list && $0.entry.id == received.id }
        if entry?.hasArrived(as: received) == true { try dismiss([received.id], of: list) }
    }
}
