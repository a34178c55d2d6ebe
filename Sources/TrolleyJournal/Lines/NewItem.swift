/// An item that a person wants on a list.
public struct NewItem: Hashable, Sendable {
    /// `text`, and what else is known of it.
    public var fields: Fields
    /// Whether it comes marked off.
    public var isMarkedOff: Bool

    public init(fields: Fields, isMarkedOff: Bool = false) {
        self.fields = fields
        self.isMarkedOff = isMarkedOff
    }

    public init(_ line: ItemLine) { self.init(fields: line.fields, isMarkedOff: line.isMarkedOff) }

    /// What it is called.
    public var text: String { fields[Fields.text]?.string ?? "" }
}
