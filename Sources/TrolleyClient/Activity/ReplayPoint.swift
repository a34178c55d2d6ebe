public import TrolleyJournal

/// A moment of a list's life.
public enum ReplayPoint: Hashable, Sendable {
    /// After the change with this number.
    case change(Int64)
    /// What the service had received until then.
    case time(Timestamp)
}

/// A list as it was.
public struct ReplayedList: Hashable, Sendable {
    public var list: ListID
    public var state: ListState
    /// The last change that counts.
    public var through: SequenceNumber
    /// Whether devices may still hold back changes from before then. nil: the service wasn't asked.
    public var isWaiting: Bool?
    /// Since when everything is known, where the service has forgotten what is older; nil: always.
    public var retainedFrom: Timestamp?
    /// Whether the device told it without the service: then what compression has taken is missing, which is what was finished or
    /// overwritten long before now.
    public var isOffline: Bool
}
