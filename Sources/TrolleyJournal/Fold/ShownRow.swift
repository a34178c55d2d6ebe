/// A row of a list as a person sees it. Rows are in the order of the aisles. In shopping mode, an item that others
/// delete stays as a struck row until the deletion is applied, so that no other row moves.
public struct ShownRow: Hashable, Sendable, Identifiable {
    public var item: Item
    /// Whether the item is deleted and shown struck through.
    public var isStruck: Bool
    /// Whether the item is bought in another shop than the one where the person is. Such rows come last.
    public var isElsewhere = false
    /// The item's usual place on past trips, where the rows are in the learned order; see ``LearnedOrder``.
    public var usual: UsualPlace?

    public init(item: Item, isStruck: Bool = false) {
        self.item = item
        self.isStruck = isStruck
    }

    /// The item's id.
    public var id: ItemID { item.id }

    /// The item's aisle; nil if it has none.
    public var aisle: String? {
        guard let aisle = item.fields[Fields.aisle]?.string, !aisle.isEmpty else { return nil }
        return aisle
    }
}

extension ListFold {
    /// The rows in list order: the shown items and the deleted items in `struck`.
    /// - Parameter hidden: items to leave out, see `state(without:)`.
    public func rows(
        striking struck: Set<ItemID>, without hidden: [ItemID: EntryID] = [:]
    ) -> [ShownRow] {
        let list = self.list
        let shown = Set(state(without: hidden).items.map { $0.id })
        var rows: [ShownRow] = []
        var next = list.order.top
        while let slot = next {
            let item = list[slot]
            let isStruck = item.isDeleted && struck.contains(item.id)
            if item.isAdded, isStruck || shown.contains(item.id) {
                let content = Item(id: item.id, markedOff: item.isMarkedOff, fields: item.shownFields)
                rows.append(ShownRow(item: content, isStruck: isStruck))
            }
            next = list.order.next(after: slot)
        }
        return rows
    }
}

extension String {
    /// Whether two aisles are equal except for case and white space.
    public func isSameAisle(as other: String) -> Bool { itemKey == other.itemKey }
}

extension [ShownRow] {
    /// The rows grouped by aisle: the aisles in the list's order, then other aisles by their first item, then items without
    /// an aisle. Within an aisle, items are in list order.
    /// - Parameter order: the list's order of aisles.
    public func byAisle(_ order: [String]) -> [ShownRow] {
        var rows: [ShownRow] = []
        for group in aisleGroups(order).groups { rows += group }
        return rows
    }

    /// The rows of each aisle, in the order of ``byAisle(_:)``. The last group has the items without an aisle.
    /// - Returns: the groups, some of them empty, and the number of aisles in `order`, whose groups come first.
    func aisleGroups(_ order: [String]) -> (groups: [[ShownRow]], given: Int) {
        var places: [ItemKey: Int] = [:]
        for aisle in order where places[aisle.itemKey] == nil { places[aisle.itemKey] = places.count }
        let given = places.count
        for row in self {
            if let key = row.aisle?.itemKey, places[key] == nil { places[key] = places.count }
        }
        let last = places.count
        var groups = [[ShownRow]](repeating: [], count: last + 1)
        for row in self { groups[row.aisle.flatMap { places[$0.itemKey] } ?? last].append(row) }
        return (groups, given)
    }
}
