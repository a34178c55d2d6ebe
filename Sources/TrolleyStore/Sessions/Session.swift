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
