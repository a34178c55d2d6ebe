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

extension RejectedEntry {
    /// Whether a received entry is this one, so that it is on the list after all: an earlier request that was not answered
    /// took effect after the refusal, or another device brought the entry back to a restored service, which refused it with
    /// the anchor that it was made with. An id that something else has is not that.
    package func hasArrived(as received: JournalEntry) -> Bool { Self.hasArrived(entry, as: received) }

    package static func hasArrived(_ entry: JournalEntry, as received: JournalEntry) -> Bool {
        var entry = entry
        entry.after = received.after
        // By their bytes: the module for browsers needs no other comparison of entries.
        var (one, other) = (JSONWriter(), JSONWriter())
        entry.write(to: &one)
        received.write(to: &other)
        return one.bytes == other.bytes
    }
}
