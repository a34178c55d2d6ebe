public import TrolleyJournal

/// The account that is signed in on this device, and its service.
public struct AccountSession: Hashable, Sendable, Codable {
    /// The service's address, without a slash at the end.
    public var server: String
    /// Authenticates this device to the service.
    var token: String
    public var account: AccountID
    public var email: String
    public var name: String
    public var device: DeviceID
    /// The PEM certificates that were trusted besides the system's at sign-in. They are trusted as long as the session
    /// lasts.
    var authorities: String?

    /// Whether others in the network could read what the device sends: the service is another machine without TLS.
    public var isReadable: Bool { Self.isReadable(at: server) }

    /// The same for a service's address.
    public static func isReadable(at server: String) -> Bool { ServiceAddress(server)?.isReadable ?? false }

    /// Whether the session belongs to this address on this service.
    func isFor(_ email: String, at server: String) -> Bool {
        self.email.lowercased() == email.lowercased() && ServiceAddress(self.server) == ServiceAddress(server)
    }
}
