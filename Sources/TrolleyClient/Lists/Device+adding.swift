public import TrolleyJournal
import TrolleySync

/// The result of adding one item.
public struct AddedItem: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable {
        /// The item is new.
        case added
        /// The item was marked off, and is wanted again.
        case back
        /// The item was wanted already.
        case present
    }

    public var item: Item
    public var outcome: Outcome

    public init(item: Item, outcome: Outcome) {
        self.item = item
        self.outcome = outcome
    }
}

extension Device {
    /// Adds the items of a text, one per line, as one gesture: `2x eggs`, `- [x] sugar`, `milk, 2 l` (see `ItemLine`).
    /// An item that is already on the list is not added again.
    /// - Returns: the result for each line, in order.
    @discardableResult
    public func add(
        _ text: String, to list: ListID, at place: ListEdit.Place = .bottom
    ) async throws(DeviceError) -> [AddedItem] {
        try await add(ItemLine.lines(of: text).map { NewItem($0) }, to: list, at: place)
    }

    /// Adds items to a list, as one gesture. A new item without an aisle gets the last aisle of an item of its name.
    /// - Parameters:
    ///   - items: the items.
    ///   - list: the list.
    ///   - place: the place of the first new item; the others follow it.
    ///   - again: whether to add items even if they are already on the list.
    /// - Returns: the result for each item, in order. Items with the same text become one item.
    @discardableResult
    public func add(
        _ items: [NewItem], to list: ListID, at place: ListEdit.Place = .bottom, again: Bool = false
    ) async throws(DeviceError) -> [AddedItem] {
        let plain = items.map { $0.withoutBlankAisle }
        if !again { try await applyItems(named: plain.map(\.text), in: list) }
        let additions = again ? plain.map { Addition.new($0) } : try await state(of: list).additions(of: plain)
        // An empty aisle means no aisle; don't look one up.
        let isOpen = items.map { $0.fields[Fields.aisle] == nil }
        return try await perform(additions, findingAisle: isOpen, on: list, at: place)
    }

    /// Does what adding items comes to, as one gesture.
    /// - Parameter isOpen: for each addition, whether a new item gets the last aisle of an item of its name.
    func perform(
        _ additions: [Addition], findingAisle isOpen: [Bool], on list: ListID, at place: ListEdit.Place = .bottom
    ) async throws(DeviceError) -> [AddedItem] {
        let additions = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.completing(additions, where: isOpen, in: list)
        }
        var place = place
        var edits: [ListEdit] = []
        var added: [AddedItem] = []
        for addition in additions {
            switch addition {
            case .new(let new):
                let item = Item(id: identifier(), markedOff: new.isMarkedOff, fields: new.fields)
                edits.append(.add(item.id, item.fields, place))
                if item.markedOff { edits.append(.markOff(item.id)) }
                if place != .bottom { place = .after(item.id) }
                added.append(AddedItem(item: item, outcome: .added))
            case .present(let item, let missing):
                if !missing.isEmpty { edits.append(.edit(item.id, missing)) }
                added.append(AddedItem(item: item.writing(missing), outcome: .present))
            case .back(var item, let changes):
                edits.append(.unmark(item.id))
                if !changes.isEmpty { edits.append(.edit(item.id, changes)) }
                item.markedOff = false
                added.append(AddedItem(item: item.writing(changes), outcome: .back))
            case .repeated: break
            }
        }
        if !edits.isEmpty { try await perform(edits, on: list) }
        return added
    }

    /// Applies waiting additions by others of items with these names, so that the items aren't added twice.
    func applyItems(named names: [String], in list: ListID) async throws(DeviceError) {
        try await withStoreErrors { () async throws(QueueStoreError) in
            guard try await store.read({ try $0.list(list).shopping }) else { return }
            try await store.write { try $0.applyItems(named: Set(names.map(\.itemKey)), in: try $0.list(list)) }
        }
    }

    /// Suggests items from purchases on all of this account's lists on this device.
    /// - Parameters:
    ///   - list: the list.
    ///   - prefix: only items with a word that begins with this.
    ///   - limit: the maximum number of suggestions.
    public func suggestions(
        for list: ListID, beginningWith prefix: String = "", limit: Int = 20
    ) async throws(DeviceError) -> [Suggestion] {
        let (history, state) = try await withStoreErrors { () async throws(QueueStoreError) in
            (try await store.purchaseHistory(), try await store.state(of: list))
        }
        return history.suggestions(for: state, at: clock().wall, beginningWith: prefix, limit: limit)
    }

    /// The rows of a list as a person sees them, numbered from 1. They are grouped by aisle, in the list's order of aisles.
    /// In shopping mode, items that others delete stay as struck rows, so that no number changes, and within the aisles the
    /// rows are in the order that past trips have shown, with ``ShownRow/usual``; see ``setUsesLearnedOrder(_:)``.
    public func shownRows(of list: ListID) async throws(DeviceError) -> [ShownRow] {
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.read { try $0.rows(of: try $0.list(list)) }
        }
    }
}

extension Item {
    fileprivate func writing(_ fields: Fields) -> Item {
        var item = self
        for (key, value) in fields { item.fields[key] = value }
        return item
    }
}

extension SQLiteStore {
    /// Gives new items the aisle that items of their name had last.
    /// - Parameter isOpen: for each addition, whether its aisle is unspecified.
    fileprivate func completing(
        _ additions: [Addition], where isOpen: [Bool], in list: ListID
    ) async throws(QueueStoreError) -> [Addition] {
        guard zip(additions, isOpen).contains(where: { $0.isNew && $1 }) else { return additions }
        return try await read { transaction in
            let row = try transaction.list(list)
            let fold = try transaction.folded(row).fold
            var archived = PurchaseHistory()
            for purchase in try transaction.archivedPurchases(of: row) { archived.add(purchase) }
            return zip(additions, isOpen).map { addition, isOpen in
                guard case .new(var item) = addition, isOpen, item.fields[Fields.aisle] == nil,
                    let aisle = fold.aisle(ofItemCalled: item.text) ?? archived.aisle(of: item.text)
                else { return addition }
                item.fields[Fields.aisle] = .string(aisle)
                return .new(item)
            }
        }
    }

    fileprivate func purchaseHistory() async throws(QueueStoreError) -> PurchaseHistory {
        try await read { transaction in
            var history = PurchaseHistory()
            for list in try transaction.lists() { try transaction.addPurchases(of: list, to: &history) }
            return history
        }
    }
}

extension Addition {
    fileprivate var isNew: Bool { if case .new = self { true } else { false } }
}

extension NewItem {
    /// The item without an empty aisle.
    fileprivate var withoutBlankAisle: NewItem {
        var item = self
        if item.fields[Fields.aisle]?.string?.isEmpty == true { item.fields[Fields.aisle] = nil }
        return item
    }
}
