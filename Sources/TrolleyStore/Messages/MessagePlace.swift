package import TrolleyJournal

/// Which messages of a list to read.
package enum MessagePlace: Hashable, Sendable {
    /// The newest ones before a sequence; nil: the newest of all.
    case before(SequenceNumber?)
    /// The oldest changes after a sequence.
    case after(SequenceNumber)
    /// The oldest changes after a time.
    case since(Timestamp)
}
