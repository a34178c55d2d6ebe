/// `GET /v1/config`.
public struct ConfigResponse: Hashable, Sendable, Codable {
    /// The service's version.
    public var version: String
    /// The protocol's version: the `1` of `/v1`.
    public var protocolVersion: Int
    public var limits: Limits
    /// Who may sign up; everybody when absent.
    public var registration: Registration?
    /// nil from a service that doesn't say.
    public var rates: Rates?
    /// nil from a service that doesn't say.
    public var quotas: Quotas?

    public init(
        version: String, protocolVersion: Int, limits: Limits, registration: Registration? = nil, rates: Rates? = nil,
        quotas: Quotas? = nil
    ) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.limits = limits
        self.registration = registration
        self.rates = rates
        self.quotas = quotas
    }
}
