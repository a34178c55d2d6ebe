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

extension ShoppingList {
    /// Adds the items of a text, one per line, as one gesture: `2x eggs`, `- [x] sugar`, `milk, 2 l` (see `ItemLine`).
    /// An item that is already on the list is not added again.
    /// - Returns: the result for each line, in order.
    @discardableResult
    public func add(_ text: String, at place: ListEdit.Place = .bottom) async throws(DeviceError) -> [AddedItem] {
        try await add(ItemLine.lines(of: text).map { NewItem($0) }, at: place)
    }

    /// Adds items to a list, as one gesture. A new item without an aisle gets the last aisle of an item of its name.
    /// - Parameters:
    ///   - items: the items.
    ///   - place: the place of the first new item; the others follow it.
    ///   - again: whether to add items even if they are already on the list.
    /// - Returns: the result for each item, in order. Items with the same text become one item.
    @discardableResult
    public func add(_ items: [NewItem], at place: ListEdit.Place = .bottom, again: Bool = false)
        async throws(DeviceError) -> [AddedItem]
    {
        let plain = items.map { $0.withoutBlankAisle }
        // An empty aisle means no aisle; don't look one up.
        let isOpen = items.map { $0.fields[Fields.aisle] == nil }
        return try await add(
            named: again ? [] : plain.map(\.text), findingAisle: { isOpen[$0] }, at: place
        ) { again ? plain.map { Addition.new($0) } : $0.additions(of: plain) }
    }

    /// Adds what a plan says, as one gesture. The plan is made from the list at that moment, so two gestures at once don't
    /// add the same item twice.
    /// - Parameters:
    ///   - names: waiting additions by others of items with these names are applied first, so that the items aren't added twice.
    ///   - isOpen: for each addition's index, whether a new item gets the last aisle of an item of its name.
    func add(
        named names: [String], findingAisle isOpen: @escaping @Sendable (Int) -> Bool,
        at place: ListEdit.Place = .bottom, plan: @escaping @Sendable (ListState) -> [Addition]
    ) async throws(DeviceError) -> [AddedItem] {
        let made = device.clock()
        return try await device.gesture { [self] transaction in
            let row = try transaction.list(id)
            if try transaction.isReadOnly(row) { throw DeviceError.readOnly }
            if row.shopping, !names.isEmpty { try transaction.applyItems(named: Set(names.map(\.itemKey)), in: row) }
            let current = try transaction.list(id)
            let additions = try transaction.completing(
                plan(try transaction.state(of: current)), where: isOpen, in: current)
            let (edits, added) = self.edits(for: additions, at: place)
            _ = try device.append(edits, to: id, in: transaction, made: made)
            return added
        }
    }

    /// The edits for additions, and what each addition comes to.
    private func edits(for additions: [Addition], at place: ListEdit.Place) -> ([ListEdit], [AddedItem]) {
        var place = place
        var edits: [ListEdit] = []
        var added: [AddedItem] = []
        for addition in additions {
            switch addition {
            case .new(let new):
                let item = Item(id: device.identifier(), markedOff: new.isMarkedOff, fields: new.fields)
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
        return (edits, added)
    }

    /// Suggests items from purchases on all of this account's lists on this device.
    /// - Parameters:
    ///   - prefix: only items with a word that begins with this.
    ///   - limit: the maximum number of suggestions.
    public func suggestions(beginningWith prefix: String = "", limit: Int = 20) async throws(DeviceError)
        -> [Suggestion]
    {
        let (history, state) = try await device.withStoreErrors { () async throws(QueueStoreError) in
            (try await device.store.purchaseHistory(), try await device.store.state(of: id))
        }
        return history.suggestions(for: state, at: device.clock().wall, beginningWith: prefix, limit: limit)
    }

    /// The rows of a list as a person sees them, numbered from 1. They are grouped by aisle, in the list's order of aisles.
    /// In shopping mode, items that others delete stay as struck rows, so that no number changes, and within the aisles the
    /// rows are in the order that past trips have shown, with `ShownRow.usual`; see ``Device/setUsesLearnedOrder(_:)``.
    public func shownRows() async throws(DeviceError) -> [ShownRow] {
        try await read { try $0.rows(of: $1) }
    }
}

extension Item {
    fileprivate func writing(_ fields: Fields) -> Item {
        var item = self
        for (key, value) in fields { item.fields[key] = value }
        return item
    }
}

extension StoreTransaction {
    /// Gives new items the aisle that items of their name had last.
    /// - Parameter isOpen: for each addition's index, whether its aisle is unspecified.
    fileprivate func completing(
        _ additions: [Addition], where isOpen: (Int) -> Bool, in list: ListRow
    ) throws -> [Addition] {
        guard additions.indices.contains(where: { additions[$0].isNew && isOpen($0) }) else { return additions }
        let fold = try folded(list).fold
        var archived = PurchaseHistory()
        for purchase in try archivedPurchases(of: list) { archived.add(purchase) }
        let aisles = fold.lastAisles(of: additions.newTexts)
        return additions.enumerated().map { index, addition in
            guard case .new(var item) = addition, isOpen(index), item.fields[Fields.aisle] == nil,
                let aisle = aisles[item.text.itemKey] ?? archived.aisle(of: item.text)
            else { return addition }
            item.fields[Fields.aisle] = .string(aisle)
            return .new(item)
        }
    }
}

extension SQLiteStore {
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
