public import TrolleyJournal
public import TrolleyWire

/// The outcome of an entry that was sent.
public struct UploadVerdict: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The entry is in the journal, at this sequence.
        case accepted(SequenceNumber)
        /// The entry was offered again, and the journal has its id with other content, or the person may not add it.
        /// The next fetch brings the journal's version.
        case known
        /// The service has rejected the entry for good.
        case rejected(ProblemCode, String?)
    }

    public var entry: EntryID
    public var outcome: Outcome

    public init(entry: EntryID, outcome: Outcome) {
        self.entry = entry
        self.outcome = outcome
    }
}
