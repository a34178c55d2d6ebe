public import TrolleyJournal

/// A list that waits by itself, because the service was busy with just this list.
public struct ListWait: Hashable, Sendable {
    public var list: ListID
    /// The number of failures since the list's last success.
    public var failures: Int
    /// The earliest time of the next try, unless the person asks for it.
    public var nextTry: Timestamp
    /// Whether the service set `nextTry`.
    public var askedToWait: Bool

    public init(list: ListID, failures: Int, nextTry: Timestamp, askedToWait: Bool) {
        self.list = list
        self.failures = failures
        self.nextTry = nextTry
        self.askedToWait = askedToWait
    }
}
