/// A purchase: an item was marked off.
public struct Purchase: Hashable, Sendable {
    /// The entry that marked it off.
    public var entry: EntryID
    public var text: String
    public var quantity: String?
    public var aisle: String?
    /// When it was marked off.
    public var at: Timestamp

    public init(entry: EntryID, text: String, quantity: String? = nil, aisle: String? = nil, at: Timestamp) {
        self.entry = entry
        self.text = text
        self.quantity = quantity
        self.aisle = aisle
        self.at = at
    }
}
