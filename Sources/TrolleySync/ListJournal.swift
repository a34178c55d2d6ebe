public import TrolleyJournal

/// What a list is folded from on a device.
public struct ListJournal: Hashable, Sendable {
    /// In the order of their sequence.
    public var confirmed: [ConfirmedEntry]
    /// One's own, in the order they were made.
    public var pending: [PendingEntry]

    public init(confirmed: [ConfirmedEntry] = [], pending: [PendingEntry] = []) {
        self.confirmed = confirmed
        self.pending = pending
    }
}
