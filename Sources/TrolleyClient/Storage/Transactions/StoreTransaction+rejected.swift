import GRDB
import TrolleyJournal
import TrolleySync

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
}
