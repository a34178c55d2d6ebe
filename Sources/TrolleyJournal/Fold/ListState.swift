/// A list as it is shown: the fold of its journal.
public struct ListState: Hashable, Sendable {
    /// nil until somebody named the list.
    public var name: String?
    /// nil until somebody coloured the list.
    public var colour: String?
    /// The list's order of aisles; empty until it is set.
    public var aisles: [String]
    /// By name.
    public var shops: [Shop]
    /// In list order; deleted ones are not here, marked-off ones are.
    public var items: [Item]

    public init(
        name: String? = nil, colour: String? = nil, aisles: [String] = [], shops: [Shop] = [], items: [Item] = []
    ) {
        self.name = name
        self.colour = colour
        self.aisles = aisles
        self.shops = shops
        self.items = items
    }
}

extension ListState {
    /// Whether both are equal byte for byte.
    public static func == (left: ListState, right: ListState) -> Bool {
        left.name.hasSameBytes(as: right.name) && left.colour.hasSameBytes(as: right.colour)
            && ListState.text(of: left.aisles).hasSameBytes(as: ListState.text(of: right.aisles))
            && left.shops == right.shops && left.items == right.items
    }

    public func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        colour.hashBytes(into: &hasher)
        ListState.text(of: aisles).hashBytes(into: &hasher)
        hasher.combine(shops)
        hasher.combine(items)
    }

    /// The items that are still to be bought: neither deleted nor marked off, in list order.
    public var wanted: some Swift.Sequence<Item> { items.lazy.filter { !$0.markedOff } }
}

extension ListState {
    /// An order of aisles as a field's text: one aisle per line.
    public static func text(of aisles: [String]) -> String? { aisles.isEmpty ? nil : aisles.joined(separator: "\n") }

    /// The aisles in a field's text, without blank lines.
    static func aisles(in text: String?) -> [String] {
        Array((text ?? "").utf8).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
