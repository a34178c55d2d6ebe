public import TrolleyJournal

/// One change of a list's stream.
public struct Change: Hashable, Sendable {
    public enum Body: Hashable, Sendable {
        case entry(ConfirmedEntry)
        /// The share's new state: the people of the list and their permissions.
        case share(ShareState)
        /// Entries that compression discarded, and new anchors for others.
        case discard(ids: [EntryID], anchors: [EntryID: ItemID?])
    }

    public var sequence: SequenceNumber
    public var body: Body

    public init(sequence: SequenceNumber, body: Body) {
        self.sequence = sequence
        self.body = body
    }
}
