package import TrolleyJournal
package import TrolleyWire

/// What a delivery tells of: a summary for one person.
package struct Notice: Hashable, Sendable, Codable {
    /// It covers the changes after this sequence, up to `through`.
    package var after: SequenceNumber
    package var through: SequenceNumber
    package var people: [SummarizedPerson]

    package init(after: SequenceNumber, through: SequenceNumber, people: [SummarizedPerson]) {
        self.after = after
        self.through = through
        self.people = people
    }
}
