public import TrolleyJournal
import TrolleySync

extension ShoppingList {
    /// Adds the items of a text, one per line, as one gesture: `2x eggs`, `- [x] sugar`, `milk, 2 l` (see `ItemLine`).
    /// An item that is already on the list is not added again.
    ///
    /// ```swift
    /// let added = try await list.add("2 l milk\neggs, 6")
    /// print(added.map(\.outcome))
    /// ```
    /// - Returns: the result for each line, in order.
    @discardableResult
    public func add(_ text: String, at place: ListEdit.Place = .bottom) async throws(DeviceError) -> [AddedItem] {
        try await add(ItemLine.lines(of: text).map { NewItem($0) }, at: place)
    }

    /// Adds items to a list, as one gesture. A new item without an aisle gets the last aisle of an item of its name, otherwise
    /// the catalogue's, if the device has a ``Device/language``. Aisles are named in the list's language: the one that the names
    /// of the list's aisles have, otherwise the device's. ``AddedItem/aisleReason`` says what decided.
    ///
    /// ```swift
    /// try await list.add([NewItem(fields: [Fields.text: .string("milk"), Fields.aisle: .string("Dairy")])], at: .top)
    /// ```
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
    ///   - isOpen: for each addition's index, whether a new item gets an aisle that nobody has given it now.
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
            let state = try transaction.state(of: current)
            let additions = plan(state)
            let planned = AdditionPlan(
                additions, below: place.itemAbove(bottom: state.items.last?.id),
                in: try transaction.aisleRule(for: additions.newTexts, in: current, language: device.language),
                isOpen: isOpen, recurring: try transaction.recurrences(of: additions.newTexts, in: current),
                identifier: { device.identifier() })
            _ = try device.append(planned.drafts.compactMap { ListEdit($0) }, to: id, in: transaction, made: made)
            return planned.added
        }
    }

    /// Suggests items from purchases on all of this account's lists on this device.
    ///
    /// ```swift
    /// for suggestion in try await list.suggestions(beginningWith: "mi") { print(suggestion.text, suggestion.count) }
    /// ```
    /// - Parameters:
    ///   - prefix: only items with a word that begins with this.
    ///   - limit: the maximum number of suggestions.
    public func suggestions(beginningWith prefix: String = "", limit: Int = 20) async throws(DeviceError)
        -> [Suggestion]
    {
        let (history, state) = try await historyAndState()
        return history.suggestions(for: state, at: device.clock().wall, beginningWith: prefix, limit: limit)
    }

    /// The purchases on all lists of this device, and this list.
    func historyAndState() async throws(DeviceError) -> (PurchaseHistory, ListState) {
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            (try await device.store.purchaseHistory(), try await device.store.state(of: id))
        }
    }

    /// The rows of a list as a person sees them, numbered from 1. They are grouped by aisle, in the list's order of aisles.
    /// In shopping mode, items that others delete stay as struck rows, so that no number changes, and within the aisles the
    /// rows are in the order that past trips have shown, with `ShownRow.usual`; see ``Device/setUsesLearnedOrder(_:)``.
    ///
    /// ```swift
    /// for (index, row) in try await list.shownRows().enumerated() { print(index + 1, row.item.text, row.item.markedOff) }
    /// ```
    public func shownRows() async throws(DeviceError) -> [ShownRow] {
        try await read { try $0.rows(of: $1) }
    }
}

extension StoreTransaction {
    /// What decides the aisles of new items of these texts.
    func aisleRule(for texts: [String], in list: ListRow, language: String?) throws -> AisleRule {
        let fold = try folded(list).fold
        var archived = PurchaseHistory()
        if !texts.isEmpty {
            for purchase in try archivedPurchases(of: list) { archived.add(purchase) }
        }
        return AisleRule(
            for: texts, on: fold, archived: archived, catalogues: language.map { fold.catalogues(language: $0) } ?? [])
    }
}

extension StoreTransaction {
    /// How often items of these texts are bought, by the last item or purchase that says so.
    func recurrences(of texts: [String], in list: ListRow) throws -> [ItemKey: FieldValue] {
        if texts.isEmpty { return [:] }
        return try folded(list).fold.recurrences(of: texts, after: archivedPurchases(of: list))
    }
}

extension ListEdit {
    /// - Parameter draft: of an `AdditionPlan`.
    fileprivate init?(_ draft: EntryDraft) {
        guard let item = draft.item else { return nil }
        switch draft.operation {
        case .add: self = .add(item, draft.fields, draft.after.map { .after($0) } ?? .top)
        case .edit: self = .edit(item, draft.fields)
        case .markOff: self = .markOff(item)
        case .unmark: self = .unmark(item)
        default: return nil
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

extension NewItem {
    /// The item without an empty aisle.
    fileprivate var withoutBlankAisle: NewItem {
        var item = self
        if item.fields[Fields.aisle]?.string?.isEmpty == true { item.fields[Fields.aisle] = nil }
        return item
    }
}
