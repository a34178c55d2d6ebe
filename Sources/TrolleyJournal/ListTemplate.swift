/// What a new list takes from another one: its items, all of them wanted, its order of aisles, its shops and its colour.
public struct ListTemplate: Hashable, Sendable {
    public var colour: String?
    public var aisles: [String]
    public var shops: [Shop]
    /// In list order.
    public var items: [NewItem]

    /// - Parameter chosen: the only items to take; nil: all, marked off or not.
    public init(_ state: ListState, choosing chosen: Set<ItemID>? = nil) {
        colour = state.colour
        aisles = state.aisles
        shops = state.shops
        items = state.items.filter { chosen?.contains($0.id) ?? true }.map { NewItem(fields: $0.fields) }
    }
}
