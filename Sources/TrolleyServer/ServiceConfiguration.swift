public import TrolleyStore
public import TrolleyWire

/// What an operator can set about the service.
public struct ServiceConfiguration: Sendable {
    public var version: String
    public var limits: Limits
    public var passwordCost: PasswordHash.Cost
    /// Passwords hashed at the same time at the most: each takes memory and a core.
    public var parallelPasswordHashes: Int
    public var retention: Retention
    /// Who may sign up.
    public var registration: Registration
    public var rates = Rates()
    public var quotas = Quotas()
    /// Passwords that wait to be hashed at the most.
    public var waitingPasswordHashes = 50
    public var timeouts = Timeouts()
    /// Bytes that the bodies of requests may take at the same time, from their first byte until they are answered. Each
    /// account, and each address without one, has a quarter.
    public var bytesOfBodies = 32 << 20
    /// Bytes of answers that were written and have not left, of all connections together. Each address has half of what the
    /// others leave.
    public var bytesOfUnsentAnswers = 64 << 20
    /// Connections at once at the most.
    public var connections = 10_000
    /// Connections at once at the most from one address (IPv6: one /64 network) that is no trusted proxy.
    public var connectionsByAddress = 1000
    /// Whose word is taken for the client's address.
    public var proxies = ProxyTrust()
    /// The service's certificate; nil: it speaks HTTP/1.1, in clear.
    public var tls: TLSFiles?
    /// Reads the certificate anew; nil: the service may read its files itself.
    public var tlsReader: TLSReader?
    /// Who vouches for people, beside their passwords; nil: nobody.
    public var identity: IdentityProvider?
    /// The program that sends mail; nil: none is sent.
    public var mail: MailCommand?
    /// From where `/metrics` may be read.
    public var metricsFrom = IPNetwork.loopback
    /// Bytes that must be free on the database's disk for changes to be taken; 0: any number.
    public var minimumFreeSpace: Int64 = 128 << 20
    /// Says how much room there is at the fullest of some places.
    var diskProbe: @Sendable ([String]) -> DiskSpace? = DiskSpace.least(at:)
    /// How often event streams are compared with the database, in case a hint was lost, and the epoch is read.
    var pollInterval = Duration.seconds(5)
    /// Levels of the log's parts; nil: as the logger says.
    public var logLevels: LogLevels?

    public init(
        version: String, limits: Limits = Limits(), passwordCost: PasswordHash.Cost = .recommended,
        parallelPasswordHashes: Int = 2, retention: Retention = Retention(),
        registration: Registration = .open
    ) {
        self.version = version
        self.limits = limits
        self.passwordCost = passwordCost
        self.parallelPasswordHashes = parallelPasswordHashes
        self.retention = retention
        self.registration = registration
    }
}

extension ServiceConfiguration {
    /// What `GET /v1/config` answers.
    /// - Parameter sessionIdle: milliseconds after which an unused session ends; nil: it doesn't.
    func response(sessionIdle: Int64?) -> ConfigResponse {
        ConfigResponse(
            version: version, protocolVersion: ProtocolVersion.current, limits: limits, registration: registration,
            rates: rates, quotas: quotas, sessionIdle: sessionIdle, mail: mail != nil)
    }
}
