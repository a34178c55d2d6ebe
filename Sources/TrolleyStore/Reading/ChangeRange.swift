package import TrolleyJournal
package import TrolleyWire

/// A part of a list's stream.
package struct ChangeRange: Sendable {
    package let list: ListID
    /// The list's head; beyond the last of `stored` when there are more changes than the limit.
    package let head: SequenceNumber
    package let epoch: UUIDBits
    /// Discards up to this sequence may be missing in the stream.
    package let trailFrom: SequenceNumber
    /// When the change at the start of the range was received; nil when that is no longer known.
    package let mark: Timestamp?
    /// The reader's role. It decides how much of the share's states is shown.
    package let reader: Role
    /// In order. A missing sequence is an entry that was discarded later, or a discard up to `trailFrom`.
    package internal(set) var stored = StoredChanges.none
    /// Whether `stored` ends at the list's head.
    package internal(set) var isComplete = true
    /// Whether the list was read; if not, earlier lists have used up the limit.
    package internal(set) var isReached = true

    /// The decoded changes.
    package var changes: [Change] { get throws(StoreError) { try stored.read() } }

    /// The sequence of the last change, and when it was received; nil when there is none.
    package var last: (sequence: SequenceNumber, receivedAt: Timestamp)? {
        get throws(StoreError) { try stored.last() }
    }

    /// Gives each entry a receipt when it is written.
    package mutating func addReceipts(key: ReceiptKey) {
        // Most devices ask when there is nothing new.
        if !stored.isEmpty { stored.receipts = EntryReceipts(of: list, key: key) }
    }

    /// Drops all but the first changes.
    package mutating func truncate(to count: Int) {
        guard stored.count > count else { return }
        stored.truncate(to: count)
        isComplete = false
    }
}
