public import TrolleyJournal
import TrolleySync

// Changes that the service has rejected for good. The device keeps them, and can make them again or copy them to
// another list.

extension Device {
    /// Makes the rejected changes again, on lists that are still on the device: the reason may be gone.
    ///
    /// ```swift
    /// let again = try await device.retryRejected()
    /// if again > 0 { print(try await device.sync().sent) }
    /// ```
    /// - Returns: the number of changes.
    public func retryRejected() async throws(DeviceError) -> Int {
        let made = clock()
        return try await gesture { [self] in try $0.retry(made: made, identifier: { identifier() }) }
    }

    /// Makes one rejected change again, with other fields if it was too large, for instance.
    ///
    /// ```swift
    /// for rejected in try await device.queues().rejected { print(try await device.retryRejected(rejected.entry.id)) }
    /// ```
    /// - Parameters:
    ///   - entry: the rejected entry.
    ///   - fields: replace the entry's fields; nil: keeps them.
    /// - Returns: false if there is no such entry or its list has left the device.
    public func retryRejected(_ entry: EntryID, fields: Fields? = nil) async throws(DeviceError) -> Bool {
        let made = clock()
        if let fields, let excess = fields.limitViolation { throw .unusableText(excess) }
        return try await gesture { [self] in
            try $0.retry(made: made, only: entry, fields: fields, identifier: { identifier() })
        } > 0
    }

    /// Creates a list of the person's own from changes that were rejected on another list: one that the person may now
    /// only read, or is no longer on. It has the items that the person had added, unchanged. Of other people's items it
    /// has only the fields that the person had changed. Changes that no such list can have stay rejected, such as marks on
    /// other people's items and messages.
    ///
    /// ```swift
    /// if let own = try await device.makeList(named: "Mine", fromRejectedOf: list.id) { print(own.id) }
    /// ```
    /// - Returns: the new list; nil if it would have no items: then nothing was made.
    @discardableResult
    public func makeList(named name: String, fromRejectedOf list: ListID) async throws(DeviceError) -> ShoppingList? {
        try Self.check(name)
        let made = clock()
        let copy = try await gesture { [self] transaction -> ListID? in
            let rejected = try transaction.rejected().filter { $0.list == list }.map(\.entry)
            let rebuilt = ListEdit.rebuilding(rejected)
            guard rebuilt.map(\.edit).leaveItems else { return nil }
            let copy = try insertList(named: name, colour: nil, isLocal: false, in: transaction, made: made)
            _ = try append(rebuilt.map(\.edit), to: copy, in: transaction, made: made)
            try transaction.set("current", to: copy.data)
            try transaction.dismiss(rebuilt.map(\.entry), of: list)
            return copy
        }
        return copy.map { self.list($0) }
    }
}

extension ListEdit {
    /// Edits that recreate the items of these entries, as far as the entries contain them, with the entry of each.
    fileprivate static func rebuilding(_ entries: [JournalEntry]) -> [(entry: EntryID, edit: ListEdit)] {
        var added = Set(entries.filter { $0.operation == .add }.compactMap(\.item))
        return entries.compactMap { entry in entry.rebuilt(among: &added).map { (entry: entry.id, edit: $0) } }
    }
}

extension [ListEdit] {
    /// Whether a new list has items after these edits.
    fileprivate var leaveItems: Bool {
        var items: Set<ItemID> = []
        for edit in self {
            switch edit {
            case .add(let item, _, _): items.insert(item)
            case .delete(let item): items.remove(item)
            default: break
            }
        }
        return !items.isEmpty
    }
}

extension JournalEntry {
    /// - Parameter added: the items that the new list has.
    fileprivate func rebuilt(among added: inout Set<ItemID>) -> ListEdit? {
        switch (operation, item) {
        case (.add, let item?):
            let place: ListEdit.Place =
                if let after { added.contains(after) ? .after(after) : .bottom } else { .top }
            return .add(item, fields, place)
        // Nothing else is known here of another person's item.
        case (.edit, let item?) where added.insert(item).inserted: return .add(item, fields, .bottom)
        case (.edit, let item?): return .edit(item, fields)
        case (.markOff, let item?) where added.contains(item): return .markOff(item)
        case (.unmark, let item?) where added.contains(item): return .unmark(item)
        case (.delete, let item?) where added.contains(item): return .delete(item)
        case (.move, let item?) where added.contains(item):
            guard let after else { return .move(item, .top) }
            return added.contains(after) ? .move(item, .after(after)) : nil
        case (.recolourList, _) where regroups: return nil
        case (.recolourList, _): return fields[Fields.text]?.string.map { .recolour($0) }
        default: return nil
        }
    }
}
