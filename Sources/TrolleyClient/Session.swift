public import TrolleyJournal

/// Who is signed in on this device, and where.
public struct Session: Hashable, Sendable, Codable {
    /// The service's address, without a slash at the end.
    public var server: String
    /// What the service knows this device by.
    var token: String
    public var account: AccountID
    public var email: String
    public var name: String
    public var device: DeviceID
}
