/// An item to add to a list.
public struct NewItem: Hashable, Sendable {
    /// `text`, and any other fields.
    public var fields: Fields
    /// Whether the item is marked off from the start.
    public var isMarkedOff: Bool

    public init(fields: Fields, isMarkedOff: Bool = false) {
        self.fields = fields
        self.isMarkedOff = isMarkedOff
    }

    public init(_ line: ItemLine) { self.init(fields: line.fields, isMarkedOff: line.isMarkedOff) }

    /// The item's text.
    public var text: String { fields[Fields.text]?.string ?? "" }
}
