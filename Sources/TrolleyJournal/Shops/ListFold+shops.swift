extension [Shop] {
    /// The shop of a name; nil: there is none. Names are compared as items' texts are.
    public func called(_ name: String) -> Shop? {
        let key = name.itemKey
        return first { $0.name.itemKey == key }
    }

    /// The order of the aisles in a shop: the shop's own, then the other aisles of the list's.
    /// - Parameters:
    ///   - shop: nil: none in particular.
    ///   - list: the list's order.
    public func aisles(at shop: String?, of list: [String]) -> [String] {
        guard let own = shop.flatMap({ called($0) })?.aisles, !own.isEmpty else { return list }
        let known = Set(own.map { $0.itemKey })
        return own + list.filter { !known.contains($0.itemKey) }
    }
}

extension ListState {
    /// The shops of the list, then those that only items name, each once.
    public var namedShops: [String] {
        var names: [String] = []
        var known: Set<ItemKey> = []
        for name in shops.map({ $0.name }) + items.compactMap({ $0.shop }) where known.insert(name.itemKey).inserted {
            names.append(name)
        }
        return names
    }

    /// Adds a shop, or gives it an order of aisles. One gesture; none if nothing changes.
    /// - Parameter aisles: nil: as they are, or the list's order in a new shop.
    package func drafts(shop name: String, aisles: [String]?) -> [EntryDraft] {
        let known = shops.called(name)
        let shop = Shop(name: known?.name ?? name, aisles: aisles ?? known?.aisles ?? [])
        return shop == known ? [] : [shop.draft]
    }
}

extension ListFold {
    /// Removes a shop from the list, in all its spellings. Its items can be bought anywhere then. One gesture; none if the list
    /// has neither the shop nor an item for it.
    package func drafts(removingShop name: String) -> [EntryDraft] {
        let key = name.itemKey
        var drafts: [EntryDraft] = []
        let state = state
        for shop in state.shops where shop.name.itemKey == key { drafts.append(shop.removal) }
        for item in state.items where item.shop?.itemKey == key {
            drafts.append(EntryDraft(.edit, item: item.id, fields: [Fields.shop: .null]))
        }
        return drafts
    }
}

extension Item {
    /// The only shop where the item is bought; nil: anywhere.
    public var shop: String? {
        guard let shop = fields[Fields.shop]?.string, !shop.isEmpty else { return nil }
        return shop
    }
}

extension [ShownRow] {
    /// The rows of what is bought in a shop: items that name it, and those that name none. Then the others, so marked.
    /// - Parameter shop: nil: all rows are bought here.
    public func split(at shop: String?) -> (here: [ShownRow], elsewhere: [ShownRow]) {
        guard let key = shop?.itemKey else { return (self, []) }
        var (here, elsewhere): ([ShownRow], [ShownRow]) = ([], [])
        for var row in self {
            row.isElsewhere = row.item.shop.map { $0.itemKey != key } ?? false
            if row.isElsewhere { elsewhere.append(row) } else { here.append(row) }
        }
        return (here, elsewhere)
    }
}
