package import TrolleyJournal
package import TrolleyWire

/// What a delivery tells of: a summary for one person, or changes whose session goes on.
package struct Notice: Hashable, Sendable, Codable {
    /// It covers the changes after this sequence, up to `through`.
    package var after: SequenceNumber
    package var through: SequenceNumber
    package var people: [SummarizedPerson]
    /// Whether it tells of changes whose session goes on; nil: of a summary.
    package var isAlert: Bool?

    package init(
        after: SequenceNumber, through: SequenceNumber, people: [SummarizedPerson], isAlert: Bool? = nil
    ) {
        self.after = after
        self.through = through
        self.people = people
        self.isAlert = isAlert
    }
}
