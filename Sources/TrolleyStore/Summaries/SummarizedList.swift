package import TrolleyJournal

/// The people who got a summary of a list.
package struct SummarizedList: Hashable, Sendable {
    package let list: ListID
    package let through: SequenceNumber
    package let people: Set<AccountID>
}
