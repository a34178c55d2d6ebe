extension ListState {
    /// The first wanted items, in the order in which the list shows them: by aisle.
    public func firstWanted(_ limit: Int) -> [Item] {
        let rows = wanted.map { ShownRow(item: $0) }.byAisle(aisles)
        return rows.prefix(limit).map { $0.item }
    }
}
