/// What a list shows: the fold of its journal.
public struct ListState: Hashable, Sendable {
    /// nil until somebody named the list.
    public var name: String?
    /// nil until somebody coloured the list.
    public var colour: String?
    /// In list order; deleted ones are not here, marked-off ones are.
    public var items: [Item]

    public init(name: String? = nil, colour: String? = nil, items: [Item] = []) {
        self.name = name
        self.colour = colour
        self.items = items
    }
}

/// One item of a list.
public struct Item: Hashable, Sendable, Identifiable {
    public var id: ItemID
    public var markedOff: Bool
    /// All fields that are set, `text` among them.
    public var fields: Fields

    public init(id: ItemID, markedOff: Bool = false, fields: Fields) {
        self.id = id
        self.markedOff = markedOff
        self.fields = fields
    }

    /// What the item is called; empty when nobody said.
    public var text: String { fields[Fields.text]?.string ?? "" }
}
