package import TrolleyJournal

/// What a personal token opens of its account.
package struct TokenScope: Hashable, Sendable {
    /// Whether it changes nothing.
    package let isReadOnly: Bool
    /// nil: all lists of the account, also later ones.
    package let lists: Set<ListID>?

    package init(isReadOnly: Bool = false, lists: Set<ListID>? = nil) {
        self.isReadOnly = isReadOnly
        self.lists = lists
    }

    /// The largest number of lists that a token names.
    package static let maxLists = 100
    /// The largest number of personal tokens of an account.
    package static let tokensPerAccount = 50
}
