public import TrolleyJournal

/// The entries from which a device folds a list.
public struct ListJournal: Hashable, Sendable {
    /// By ascending sequence.
    public var confirmed: [ConfirmedEntry]
    /// The device's own unconfirmed entries, in the order in which they were made.
    public var pending: [PendingEntry]

    public init(confirmed: [ConfirmedEntry] = [], pending: [PendingEntry] = []) {
        self.confirmed = confirmed
        self.pending = pending
    }

    /// The time of the latest change.
    public var latest: Timestamp? {
        .latest(confirmed.lazy.map { $0.madeAt }.max(), pending.lazy.map { $0.madeAt }.max())
    }
}

extension ListState {
    /// Folds the journal.
    public init(_ journal: ListJournal) { self.init(folding: journal.confirmed, pending: journal.pending) }
}
