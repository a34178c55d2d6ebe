public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

/// A summary of a list on the device.
public struct ListSummary: Hashable, Sendable, Identifiable {
    public var id: ListID
    /// nil until somebody names the list.
    public var name: String?
    public var colour: String?
    /// Items that are neither deleted nor marked off.
    public var wanted: Int
    public var markedOff: Int
    /// Whether commands without a list's name refer to it.
    public var isCurrent: Bool
    /// Whether the list stays on this device alone until it is shared.
    public var isLocal: Bool
    /// Whether the list was kept although the service has lost the account's session, or the account's membership of
    /// the list. It is synchronized again once that account or its successor signs in, or is invited again.
    public var isKept: Bool
    /// The owner, if it is somebody else. If the list is also `isLocal`, the service no longer knows that the person is
    /// on it.
    public var owner: Participant?
    /// The number of entries in its upload queue.
    public var waiting: Int
    /// The number of other people on it; 0 for a list that isn't shared.
    public var others: Int
    /// The number of invited people who have not joined.
    public var invited: Int
    /// The number of other people's entries after the account's read mark (``ShoppingList/markRead(offline:)``), as far as
    /// this device knows the mark. Compressed entries don't count.
    public var unread: Int
    /// Where the person keeps it among theirs.
    public var place: ListPlace
    /// When the list was last fetched; nil for one that never was, or is on this device alone.
    public var receivedAt: Timestamp?
}

/// A list's two queues.
public struct ListQueues: Hashable, Sendable {
    public var list: ListID
    public var name: String?
    /// Whether the list stays on this device alone until it is shared. Its entries wait until then.
    public var isLocal: Bool
    /// Entries that the service has not confirmed, in order.
    public var upload: [JournalEntry]
    /// Received entries that are not shown yet, in order.
    public var toApply: [ConfirmedEntry]
}

/// All entries on a device that wait or were rejected.
public struct DeviceQueues: Hashable, Sendable {
    public var lists: [ListQueues]
    public var rejected: [RejectedEntry]
    public var notices: [Notice]
    /// The earliest time of the next try, unless the person asks for it.
    public var nextTry: Timestamp?
    /// Whether the service set ``nextTry``.
    public var askedToWait: Bool

    public var waiting: Int { lists.reduce(0) { $0 + ($1.isLocal ? 0 : $1.upload.count) } }
}
