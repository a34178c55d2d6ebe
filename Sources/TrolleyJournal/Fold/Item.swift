/// One item of a list.
public struct Item: Hashable, Sendable, Identifiable {
    public var id: ItemID
    public var markedOff: Bool
    /// All fields that are set, including `text`.
    public var fields: Fields

    public init(id: ItemID, markedOff: Bool = false, fields: Fields) {
        self.id = id
        self.markedOff = markedOff
        self.fields = fields
    }

    /// The item's text; empty when it has none.
    public var text: String { fields[Fields.text]?.string ?? "" }
}
