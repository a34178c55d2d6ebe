/// A purchase: an item was marked off.
public struct Purchase: Hashable, Sendable {
    /// The entry that marked it off.
    public var entry: EntryID
    public var text: String
    public var quantity: String?
    public var aisle: String?
    /// Where it was marked off; nil if unknown.
    public var shop: String?
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
    /// How often it is bought; nil: nobody has said.
    public var every: Recurrence?
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

    /// A mark that is removed within this time was a slip, in milliseconds.
    private static let slip: Int64 = 300_000

    /// Whether removing the mark then would make the purchase a slip, which was none.
    func wouldBeSlip(unmarkedAt time: Timestamp) -> Bool { time <= at.advanced(byMilliseconds: Purchase.slip) }
}
