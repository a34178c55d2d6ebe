package import TrolleyJournal

/// A list on which a session may have ended.
package struct DueList: Hashable, Sendable {
    package let id: ListID
    /// When the look was due, as PostgreSQL writes it.
    let due: String
}
