public import TrolleyJournal

/// What others did on a list, for one person.
///
/// It covers what came after both the person's read mark and their previous summary. All devices of the person get the
/// same summary. `list` and `through` identify it.
public struct SessionSummary: Hashable, Sendable, Codable {
    public var list: ListID
    /// The summary covers the changes after this sequence.
    public var after: SequenceNumber
    /// The last change that it covers. When the read mark has reached it, the summary is gone.
    public var through: SequenceNumber
    public var madeAt: Timestamp
    /// The people with changes, never the account itself; at least one.
    public var people: [SummarizedPerson]

    public init(
        list: ListID, after: SequenceNumber, through: SequenceNumber, madeAt: Timestamp, people: [SummarizedPerson]
    ) {
        self.list = list
        self.after = after
        self.through = through
        self.madeAt = madeAt
        self.people = people
    }
}

extension SessionSummary: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("list", list)
            writer.member("after", after)
            writer.member("through", through)
            writer.member("madeAt", madeAt)
            writer.member("people", people)
        }
    }
}
