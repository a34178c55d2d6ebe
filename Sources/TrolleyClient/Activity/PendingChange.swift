public import TrolleyJournal

/// A change of this device that the list's Activity doesn't contain yet, as far as the device knows.
public struct PendingChange: Hashable, Sendable {
    public var entry: JournalEntry
    /// On a list of this device alone, its number for ``ReplayPoint/change(_:)``: its place among all changes, from 1.
    package var number: Int
    /// The time of the change, as the device estimates it.
    public var madeAt: Timestamp
    /// The text of the entry's item just after the entry; nil for an entry without an item, and if the text is unknown.
    public var itemText: String?
    /// The name of the person who made the change, if it was somebody else: the device offers it again.
    public var authorName: String?
    /// Whether the service has accepted the change, and the device has not fetched it since.
    public var isSent: Bool
}
