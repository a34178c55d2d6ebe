package import TrolleyJournal
package import TrolleyWire

/// Messages of a list, as a client that doesn't fold gets them.
package struct MessageRange: Sendable {
    /// The list's state, for tokens. It has no changes.
    package let changeRange: ChangeRange
    /// Oldest first.
    package var messages: [Message] = []
    /// Messages that were deleted in the range, in that order.
    package var deleted: [EntryID] = []
    /// The number of the list's messages.
    package var total = 0
    package var reads: [ReadMark] = []
    /// The last entry about messages in the range, and when it was received; nil: there is none.
    package var last: (sequence: SequenceNumber, receivedAt: Timestamp)?
    /// Whether the range reaches the list's end: its head, or its beginning for older messages.
    package var isComplete = true
    /// The memory for what was read; released with the range.
    var reservation: ReadReservation?
    /// Whether the service still knows everything in the range.
    package var isRetained = true
}
