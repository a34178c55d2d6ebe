package import TrolleyJournal

/// A signed-in device and its account.
package struct Session: Hashable, Sendable {
    package let account: AccountID
    package let device: DeviceID
    /// What the session may do if a personal token opened it; nil: a person signed in.
    package let scope: TokenScope?

    package init(account: AccountID, device: DeviceID, scope: TokenScope? = nil) {
        self.account = account
        self.device = device
        self.scope = scope
    }

    /// Whether the session opens a list, as far as its token says. The account must be on the list besides.
    package func opens(_ list: ListID) -> Bool { scope?.lists?.contains(list) ?? true }
}

/// What the service knows of a token.
enum KnownToken: Hashable, Sendable {
    case session(Session)
    /// Its device was signed out, and the account exists.
    case signedOut
}
