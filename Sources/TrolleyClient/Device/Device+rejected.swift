public import TrolleyJournal
import TrolleySync

// What the service has refused for good: it is kept, and can be made again or kept elsewhere.

extension Device {
    /// Makes the refused changes of lists that are still here once more: the reason may be gone.
    /// - Returns: how many there were.
    public func retryRejected() async throws(DeviceError) -> Int {
        let made = clock()
        return try await stored { [self] () async throws(QueueStoreError) in
            try await store.retry(made: made, identifier: { self.identifier() })
        }
    }

    /// Makes one refused change once more, with other fields: what was too large can be cut.
    /// - Parameters:
    ///   - entry: the refused one.
    ///   - fields: in place of those that it had; nil: as it was.
    /// - Returns: whether it was there, and its list is still on the device.
    public func retryRejected(_ entry: EntryID, fields: Fields? = nil) async throws(DeviceError) -> Bool {
        let made = clock()
        if let fields, let excess = fields.tooMuch { throw .unusableText(excess) }
        return try await stored { [self] () async throws(QueueStoreError) in
            try await store.retry(made: made, only: entry, fields: fields, identifier: { self.identifier() })
        } > 0
    }

    /// Makes a list of one's own of what was refused on another: of a list that one may only look at now, or is no longer
    /// on. Items that one had added are on it as one has made them; of others' items it has what one had written about them.
    /// - Returns: the new list; nil when nothing of the sort was refused.
    @discardableResult
    public func makeList(named name: String, fromRejectedOf list: ListID) async throws(DeviceError) -> ListID? {
        let rejected = try await stored { () async throws(QueueStoreError) in try await store.rejected() }
            .filter { $0.list == list }.map(\.entry)
        guard !rejected.isEmpty else { return nil }
        let copy = try await makeList(named: name)
        let edits = ListEdit.rebuilding(rejected)
        if !edits.isEmpty { try await perform(edits, on: copy) }
        let ids = rejected.map(\.id)
        try await stored { () async throws(QueueStoreError) in try await store.dismiss(ids, of: list) }
        return copy
    }
}

extension ListEdit {
    /// What makes anew the items that these entries are about, as far as the entries tell.
    static func rebuilding(_ entries: [JournalEntry]) -> [ListEdit] {
        var added = Set(entries.filter { $0.operation == .add }.compactMap(\.item))
        return entries.compactMap { entry -> ListEdit? in
            switch (entry.operation, entry.item) {
            case (.add, let item?):
                let place: ListEdit.Place =
                    if let after = entry.after { added.contains(after) ? .after(after) : .bottom } else { .top }
                return .add(item, entry.fields, place)
            // Of an item of somebody else's nothing else is known here.
            case (.edit, let item?) where added.insert(item).inserted: return .add(item, entry.fields, .bottom)
            case (.edit, let item?): return .edit(item, entry.fields)
            case (.markOff, let item?) where added.contains(item): return .markOff(item)
            case (.unmark, let item?) where added.contains(item): return .unmark(item)
            case (.delete, let item?) where added.contains(item): return .delete(item)
            case (.move, let item?) where added.contains(item):
                guard let after = entry.after else { return .move(item, .top) }
                return added.contains(after) ? .move(item, .after(after)) : nil
            case (.recolourList, _): return entry.fields[Fields.text]?.string.map { .recolour($0) }
            default: return nil
            }
        }
    }
}
