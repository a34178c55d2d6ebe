package import TrolleyJournal

/// The people who got a summary or an alert of a list.
package struct SummarizedList: Hashable, Sendable {
    package let list: ListID
    package let through: SequenceNumber
    /// Those who got a summary.
    package let people: Set<AccountID>
    /// Those who got an alert: a notice of changes whose session goes on.
    package let alerted: Set<AccountID>
}
