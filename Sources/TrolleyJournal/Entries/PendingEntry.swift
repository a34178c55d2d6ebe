/// One of this device's entries that the server has not confirmed yet. It is folded after all confirmed ones.
public struct PendingEntry: Hashable, Sendable {
    public var entry: JournalEntry
    /// The device's own estimate, until the server has dated the entry.
    public var madeAt: Timestamp

    public init(entry: JournalEntry, madeAt: Timestamp) {
        self.entry = entry
        self.madeAt = madeAt
    }
}
