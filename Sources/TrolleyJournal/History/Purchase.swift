/// A purchase: an item was marked off.
public struct Purchase: Hashable, Sendable {
    /// The entry that marked it off.
    public var entry: EntryID
    public var text: String
    public var quantity: String?
    public var aisle: String?
    /// When it was marked off.
    public var at: Timestamp
    /// The item; nil for a purchase that an earlier version of this program stored.
    public var item: ItemID?
    /// The person who marked it off; nil if unknown, and on a device without an account.
    public var author: AccountID?
    /// The entry's `deviceSequence`, which orders the marks of one gesture; 0 if unknown.
    public var number: Int64 = 0
    /// The gesture; nil if unknown.
    public var batch: BatchID?
    /// When the item was added, and by whom; nil if unknown.
    public var added: Timestamp?
    public var addedBy: AccountID?

    public init(entry: EntryID, text: String, quantity: String? = nil, aisle: String? = nil, at: Timestamp) {
        self.entry = entry
        self.text = text
        self.quantity = quantity
        self.aisle = aisle
        self.at = at
    }

    /// Whether this purchase was made before the other. It depends on the entries alone, not on their order of arrival.
    func precedes(_ other: Purchase) -> Bool {
        if at != other.at { return at < other.at }
        return number == other.number ? entry < other.entry : number < other.number
    }
}
