package import TrolleyJournal
package import TrolleyWire

/// What a delivery tells of: a summary for one person, or changes whose session goes on; or that a list has changed, for a
/// program.
package struct Notice: Hashable, Sendable, Codable {
    /// It covers the changes after this sequence, up to `through`.
    package var after: SequenceNumber
    package var through: SequenceNumber
    package var people: [SummarizedPerson]
    /// Whether it tells of changes whose session goes on; nil: of a summary.
    package var isAlert: Bool?
    /// What a registered program is told; nil: the notice is for a person.
    package var calendar: CalendarUpdate?

    package init(
        after: SequenceNumber, through: SequenceNumber, people: [SummarizedPerson], isAlert: Bool? = nil,
        calendar: CalendarUpdate? = nil
    ) {
        self.after = after
        self.through = through
        self.people = people
        self.isAlert = isAlert
        self.calendar = calendar
    }
}
