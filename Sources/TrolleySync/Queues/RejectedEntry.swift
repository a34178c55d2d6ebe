public import TrolleyJournal
public import TrolleyWire

/// An entry that the service refused for good. It is kept, visibly, until the person has dealt with it.
public struct RejectedEntry: Hashable, Sendable {
    public var list: ListID
    /// What the list was called when the verdict came; the list itself may be gone.
    public var listName: String?
    public var entry: JournalEntry
    public var code: ProblemCode
    /// What the service said about it.
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
