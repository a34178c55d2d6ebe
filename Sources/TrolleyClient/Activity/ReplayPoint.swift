public import TrolleyJournal

/// A point in a list's history.
public enum ReplayPoint: Hashable, Sendable {
    /// The state after the change with this number.
    case change(Int64)
    /// The state of all changes that the service had received by then.
    case time(Timestamp)
}

/// A past state of a list.
public struct ReplayedList: Hashable, Sendable {
    public var list: ListID
    public var state: ListState
    /// The last change that the state includes.
    public var through: SequenceNumber
    /// Whether devices may still send changes from before that point. nil: the service wasn't asked.
    public var isWaiting: Bool?
    /// The devices that may still send such changes; empty if none may, and if the service wasn't asked.
    public var waitingFor: [WaitingDevice] = []
    /// The start of complete data, if the service has deleted older entries; nil: all data is complete.
    public var retainedFrom: Timestamp?
    /// The number of this device's unconfirmed changes in the state. 0 if the service answered, and for a list on this
    /// device alone.
    public var unsent = 0
    /// Whether the state comes from the device alone.
    public var isOffline: Bool
    /// Whether the device lacks changes from before that point: entries that were compressed, or came to the service before
    /// the device had the list. Changes of the share count, too. false if the service answered.
    public var lacksEntries = false
    /// The largest number that ``ReplayPoint/change(_:)`` may have, if that isn't `through`: offline, the unsent changes
    /// follow the confirmed ones.
    var last: Int64?
}
