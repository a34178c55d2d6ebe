public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// A list's Activity as far as the device knows it without the network.

extension Device {
    /// The changes of a list that this device has, newest first: confirmed entries that compression has left. It
    /// doesn't contain changes of the share.
    public func knownActivity(
        of list: ListID, limit: Int, by account: AccountID? = nil, item: ItemID? = nil
    ) async throws(DeviceError) -> ActivityPage {
        let journal = try await withStoreErrors { () async throws(QueueStoreError) in try await store.journal(of: list)
        }
        let names = try await names(of: list)
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
}
