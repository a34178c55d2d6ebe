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

    /// When the latest change in it was made.
    public var latest: Timestamp? {
        .latest(confirmed.lazy.map { $0.madeAt }.max(), pending.lazy.map { $0.madeAt }.max())
    }
}

extension ListState {
    /// What the list shows.
    public init(_ journal: ListJournal) { self.init(folding: journal.confirmed, pending: journal.pending) }
}
