import GRDB
public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// A list's Activity as far as the device knows it without the network.

extension ShoppingList {
    /// The changes of a list that this device has, newest first: confirmed entries that compression has left. It
    /// doesn't contain changes of the share.
    ///
    /// ```swift
    /// let mine = try await list.knownActivity(limit: 20, item: milk.id)
    /// print(mine.activity.count)
    /// ```
    public func knownActivity(limit: Int, by account: AccountID? = nil, item: ItemID? = nil) async throws(DeviceError)
        -> ActivityPage
    {
        let journal = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.journal(of: id)
        }
        let names = try await names()
        var texts = ItemTexts()
        let entries = journal.confirmed.map { ($0, texts.take($0)) }
        let wanted = entries.lazy.reversed().filter { entry, _ in
            (account == nil || entry.author == account) && (item == nil || entry.entry.item == item)
        }
        let items = wanted.prefix(limit).map { entry, text in
            ActivityItem(
                sequence: entry.sequence, at: entry.receivedAt, event: .entry(entry), authorName: names[entry.author],
                itemText: text)
        }
        return ActivityPage(activity: Array(items), next: nil)
    }

    /// Whether the device lacks changes of a list that it has fetched: entries that were compressed, and changes of the share.
    ///
    /// ```swift
    /// if try await list.lacksChanges() { print("Older changes are on the service.") }
    /// ```
    public func lacksChanges() async throws(DeviceError) -> Bool {
        try await read { transaction, row in
            let count = try Int64.fetchOne(
                transaction.db, sql: "SELECT COUNT(*) FROM entry WHERE list = ?", arguments: [row.key])
            return (count ?? 0) < row.through.rawValue
        }
    }

    /// The text of each renamed item just before, by the entry that renamed it, as far as the device knows it.
    package func textsBefore() async throws(DeviceError) -> [EntryID: String] {
        try await device.read { transaction in
            var (texts, before): ([ItemID: String], [EntryID: String]) = ([:], [:])
            func take(_ entry: JournalEntry) {
                guard let item = entry.item, let text = entry.fields[Fields.text]?.string else { return }
                if entry.operation == .edit { before[entry.id] = texts[item] }
                texts[item] = text
            }
            let journal = try transaction.journal(of: try transaction.list(id))
            for entry in journal.confirmed { take(entry.entry) }
            for entry in journal.pending { take(entry.entry) }
            return before
        }
    }
}
