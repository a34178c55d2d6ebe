public import TrolleyJournal
public import TrolleyWire

/// Tells the person that a list left the device without an action of theirs.
public struct Notice: Hashable, Sendable {
    public var list: ListID
    public var listName: String?
    public var reason: ListGoneReason
    /// Unsent entries that were moved to the rejected ones.
    public var keptAside: Int
    public var at: Timestamp

    public init(list: ListID, listName: String?, reason: ListGoneReason, keptAside: Int, at: Timestamp) {
        self.list = list
        self.listName = listName
        self.reason = reason
        self.keptAside = keptAside
        self.at = at
    }
}
