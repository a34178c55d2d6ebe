public import TrolleyJournal

/// A change of this device that the list's Activity doesn't contain yet, as far as the device knows.
public struct PendingChange: Hashable, Sendable {
    public var entry: JournalEntry
    /// When it was made, as the device estimates.
    public var madeAt: Timestamp
    /// The text of the entry's item just after the entry; nil for an entry without an item, and when the text is not known.
    public var itemText: String?
    /// Whether the service has taken it, though the device has not fetched it since.
    public var isSent: Bool
}
