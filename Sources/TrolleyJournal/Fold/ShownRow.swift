/// A row of a list as a person sees it while shopping: in the order of the aisles, and with what others have deleted since,
/// until that is applied, so that nothing moves under the finger.
public struct ShownRow: Hashable, Sendable {
    public var item: Item
    /// Whether the item is deleted, and stands there struck through.
    public var isStruck: Bool

    public init(item: Item, isStruck: Bool = false) {
        self.item = item
        self.isStruck = isStruck
    }

    /// Where it is found; nil where nobody said.
    public var aisle: String? {
        guard let aisle = item.fields[Fields.aisle]?.string, !aisle.isEmpty else { return nil }
        return aisle
    }
}

extension ListFold {
    /// The rows of the list, in list order: what is shown, and these of the items that are deleted.
    /// - Parameter hidden: items that are not shown though the fold has them, see `state(without:)`.
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
    /// Whether two aisles are the same, but for case and white space.
    public func isSameAisle(as other: String) -> Bool { itemKey == other.itemKey }
}

extension [ShownRow] {
    /// The rows grouped by aisle: first the aisles in the list's order, then others as they come first in the list, last what
    /// has none. Within an aisle in list order. Without any aisle the order is the list's.
    /// - Parameter order: the list's order of aisles.
    public func byAisle(_ order: [String]) -> [ShownRow] {
        var places: [String: Int] = [:]
        for aisle in order where places[aisle.itemKey] == nil { places[aisle.itemKey] = places.count }
        for row in self {
            if let key = row.aisle?.itemKey, places[key] == nil { places[key] = places.count }
        }
        let last = places.count
        var groups = [[ShownRow]](repeating: [], count: last + 1)
        for row in self { groups[row.aisle.flatMap { places[$0.itemKey] } ?? last].append(row) }
        var rows: [ShownRow] = []
        for group in groups { rows += group }
        return rows
    }
}
