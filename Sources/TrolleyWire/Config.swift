/// `GET /v1/config`.
public struct ConfigResponse: Hashable, Sendable, Codable {
    /// The service's version.
    public var version: String
    /// The protocol's version: the `1` of `/v1`.
    public var protocolVersion: Int
    public var limits: Limits
    /// Who may sign up; everybody when absent.
    public var registration: Registration?

    public init(version: String, protocolVersion: Int, limits: Limits, registration: Registration? = nil) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.limits = limits
        self.registration = registration
    }
}
