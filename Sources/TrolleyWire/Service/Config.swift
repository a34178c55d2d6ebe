/// `GET /v1/config`.
public struct ConfigResponse: Hashable, Sendable, Codable {
    /// The service's version.
    public var version: String
    /// The version of the rules by which the service folds: see ``ProtocolVersion``.
    public var protocolVersion: Int
    public var limits: Limits
    /// The rule for signing up; everybody may when absent.
    public var registration: Registration?
    /// nil from a service that doesn't say.
    public var rates: Rates?
    /// nil from a service that doesn't say.
    public var quotas: Quotas?
    /// Milliseconds without use after which a device's session ends, so that it must sign in again; nil: never.
    public var sessionIdle: Int64?
    /// Whether the service sends mail, so that addresses can be verified (`POST /v1/email-codes`); nil: no.
    public var mail: Bool?
    /// Limits on rooms; nil from a service that has none.
    public var rooms: RoomLimits?
    /// What people call the identity provider with which a browser can sign in (`GET /v1/identity/sign-in`); nil: none.
    public var identityProvider: String?

    public init(
        version: String, protocolVersion: Int, limits: Limits, registration: Registration? = nil, rates: Rates? = nil,
        quotas: Quotas? = nil, sessionIdle: Int64? = nil, mail: Bool? = nil, rooms: RoomLimits? = nil,
        identityProvider: String? = nil
    ) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.limits = limits
        self.registration = registration
        self.rates = rates
        self.quotas = quotas
        self.sessionIdle = sessionIdle
        self.mail = mail
        self.rooms = rooms
        self.identityProvider = identityProvider
    }
}
