package import TrolleyJournal

/// A signed-in device and its account.
package struct Session: Hashable, Sendable {
    package let account: AccountID
    package let device: DeviceID

    package init(account: AccountID, device: DeviceID) {
        self.account = account
        self.device = device
    }
}

/// What the service knows of a token.
enum KnownToken: Hashable, Sendable {
    case session(Session)
    /// Its device was signed out, and the account exists.
    case signedOut
}
