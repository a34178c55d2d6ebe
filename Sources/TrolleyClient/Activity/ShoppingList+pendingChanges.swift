import GRDB
public import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The device's own changes that the service, or the device's copy of the Activity, doesn't have yet.

extension ShoppingList {
    /// The device's own unconfirmed changes of a list, newest first. For a list on this device alone these are all
    /// changes.
    ///
    /// ```swift
    /// let unsent = try await list.pendingChanges().filter { !$0.isSent }
    /// print(unsent.count)
    /// ```
    public func pendingChanges(by account: AccountID? = nil, item: ItemID? = nil) async throws(DeviceError)
        -> [PendingChange]
    {
        if let account, try await device.session()?.account != account { return [] }
        let changes = try await read { try $0.pendingChanges(of: $1) }
        return changes.reversed().filter { item == nil || $0.entry.item == item }
    }
}

extension StoreTransaction {
    /// The authors of other people's entries that the device offers again.
    private func authorNames(in list: ListRow) throws -> [EntryID: String] {
        var names: [EntryID: String] = [:]
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, content FROM pending WHERE list = ? AND offered = 1", arguments: [list.key])
        while let row = try rows.next() {
            let id = try EntryID(data: row[0])
            names[id] = try openWithOrigin(row[1], id: id, in: list.id).origin?.authorName
        }
        return names
    }

    /// In the order in which they were made.
    fileprivate func pendingChanges(of list: ListRow) throws -> [PendingChange] {
        let journal = try journal(of: list)
        guard !journal.pending.isEmpty else { return [] }
        let waiting = try Set(
            Data.fetchAll(
                db, sql: "SELECT id FROM pending INDEXED BY upload_queue WHERE list = ? AND sequence IS NULL",
                arguments: [list.key]))
        let names = try authorNames(in: list)
        var texts = ItemTexts()
        var latest: [ItemID: String] = [:]
        for entry in journal.confirmed {
            if let item = entry.entry.item { latest[item] = texts.take(entry) }
        }
        return journal.pending.enumerated().map { index, pending in
            let entry = pending.entry
            if entry.operation.writesFields, let item = entry.item, let text = entry.fields[Fields.text]?.string {
                latest[item] = text
            }
            return PendingChange(
                entry: entry, number: index + 1, madeAt: pending.madeAt, itemText: entry.item.flatMap { latest[$0] },
                authorName: names[entry.id], isSent: !waiting.contains(entry.id.data))
        }
    }
}
