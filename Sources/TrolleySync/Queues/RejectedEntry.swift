public import TrolleyJournal
public import TrolleyWire

/// An entry that the service has rejected for good. The device keeps it visible until the person has dealt with it.
public struct RejectedEntry: Hashable, Sendable {
    public var list: ListID
    /// The list's name at the time of the verdict; the list itself may be gone.
    public var listName: String?
    public var entry: JournalEntry
    public var code: ProblemCode
    /// The service's explanation.
    public var detail: String?
    public var rejectedAt: Timestamp

    public init(
        list: ListID, listName: String?, entry: JournalEntry, code: ProblemCode, detail: String?, rejectedAt: Timestamp
    ) {
        self.list = list
        self.listName = listName
        self.entry = entry
        self.code = code
        self.detail = detail
        self.rejectedAt = rejectedAt
    }
}
