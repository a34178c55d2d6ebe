public import TrolleyJournal
public import TrolleySync

/// A list on the device, at a glance.
public struct ListSummary: Hashable, Sendable, Identifiable {
    public var id: ListID
    /// nil until somebody named it.
    public var name: String?
    public var colour: String?
    /// Items that are neither deleted nor marked off.
    public var wanted: Int
    public var markedOff: Int
    /// Whether it is the list that is meant when none is named.
    public var isCurrent: Bool
    /// Whether it stays on this device alone until it is shared.
    public var isLocal: Bool
    /// Whether it stayed here though the service has lost the account's session, or that the account is on the list. It is in step again
    /// once that account, or one that succeeds it, signs in, or is invited again.
    public var isKept: Bool
    /// The owner, if the person is not. When the list is `isLocal` as well, the service no longer knows that the person is on it.
    public var owner: Participant?
    /// Entries in its upload queue.
    public var waiting: Int
    /// Others who are on it; 0 for a list that isn't shared.
    public var others: Int
    /// Those who are invited to it and have not come.
    public var invited: Int
}

/// A list's two queues.
public struct ListQueues: Hashable, Sendable {
    public var list: ListID
    public var name: String?
    /// Whether the list stays on this device alone until it is shared: then its entries wait for that.
    public var isLocal: Bool
    /// Entries that the service has not confirmed, in order.
    public var upload: [JournalEntry]
    /// Entries that were received and are not shown, in order.
    public var toApply: [ConfirmedEntry]
}

/// All that waits on a device, or was refused.
public struct DeviceQueues: Hashable, Sendable {
    public var lists: [ListQueues]
    public var rejected: [RejectedEntry]
    public var notices: [Notice]
    public var nextTry: Timestamp?

    public var waiting: Int { lists.reduce(0) { $0 + ($1.isLocal ? 0 : $1.upload.count) } }
}
