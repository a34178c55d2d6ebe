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
    /// Certificates, in PEM, that were trusted when the person signed in, beside the system's. They are trusted for as long as
    /// the session lasts.
    var authorities: String?

    /// Whether it is of the person with this address, on this service.
    func isFor(_ email: String, at server: String) -> Bool {
        self.email.lowercased() == email.lowercased() && ServiceAddress(self.server) == ServiceAddress(server)
    }
}
