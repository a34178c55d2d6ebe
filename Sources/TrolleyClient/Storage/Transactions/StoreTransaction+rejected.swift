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

    /// Dismisses the rejected entry with the id of a received one, if it is the same.
    func dismissRejected(arrivedAs received: JournalEntry, in list: ListID) throws {
        let entry = try rejected().first { $0.list == list && $0.entry.id == received.id }
        if entry?.hasArrived(as: received) == true { try dismiss([received.id], of: list) }
    }
}
