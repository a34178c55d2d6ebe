package import TrolleyStore
package import TrolleyWire

/// The settings of the service.
package struct ServiceConfiguration: Sendable {
    package var version: String
    /// The settings that were given, by name, without secrets; for diagnostics.
    package var givenSettings: [String: String] = [:]
    package var limits: Limits
    package var passwordCost: PasswordHash.Cost
    /// The maximum number of passwords hashed at the same time. Each takes memory and a core.
    package var parallelPasswordHashes: Int
    package var retention: Retention
    /// Whether people can sign up freely, by invitation, or not at all.
    package var registration: Registration
    package var rates = Rates()
    package var quotas = Quotas()
    package var rooms = RoomLimits()
    /// The maximum number of queued password hashes.
    package var waitingPasswordHashes = 50
    package var timeouts = Timeouts()
    /// Bytes of all request bodies at the same time, from a body's first byte until its request is answered. Each
    /// account, and each address without a session, may use a quarter.
    package var bodyBytes = 24 << 20
    /// Bytes of responses that were written and not sent, of all connections together. Each address may use half of
    /// what the others leave.
    package var unsentResponseBytes = 24 << 20
    /// The maximum number of connections at the same time.
    package var connections = 10_000
    /// The maximum number of connections at the same time from one address (IPv6: one /64 network) that is not a
    /// trusted proxy.
    package var connectionsByAddress = 1000
    /// The reverse proxies that are trusted to name the client's address.
    package var proxies = ProxyTrust()
    /// The origins of other sites' pages that may read answers and open sockets.
    package var origins = AllowedOrigins()
    /// The service's certificate; nil: HTTP/1.1 without TLS.
    package var tls: TLSFiles?
    /// Reads the certificate again on SIGHUP; nil: the service may read its files itself.
    package var tlsReader: TLSReader?
    /// The identity provider; nil: people sign in by password only.
    package var identity: IdentityProvider?
    /// The program that sends mail; nil: the service sends no mail.
    package var mail: MailCommand?
    /// How notices are sent to push services and webhooks.
    package var push = PushSettings()
    /// The web app; nil if the service serves none.
    package var web: WebSite?
    /// The addresses that may read `/metrics`.
    package var metricsFrom = IPNetwork.loopback
    /// Bytes that must be free on the database's disk for changes to be accepted; 0: no minimum.
    package var minimumFreeSpace: Int64 = 128 << 20
    /// Returns the free space at the fullest of some paths.
    var diskProbe: @Sendable ([String]) -> DiskSpace? = DiskSpace.least(at:)
    /// The clock by which the buckets of rate limits fill.
    package var rateClock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// How often event streams are compared with the database, in case a hint was lost, and how often the epoch is
    /// read.
    var pollInterval = Duration.seconds(5)
    /// How often silent sockets are pinged. After three of these without an answer they end.
    var socketPingInterval = Duration.seconds(20)
    /// How often a process tells others who is in its rooms. After three of these without a signal they forget a device.
    var roomPresenceInterval = Duration.seconds(15)
    /// How long people stay in rooms while the database can't say whether they are still on the list.
    var roomUncheckedLimit = Duration.seconds(30)
    /// How long an assistant's call looks for an item on all lists.
    var assistantSearchTime = Duration.seconds(10)
    /// Log levels of single parts; nil: the logger's own level.
    package var logLevels: LogLevels?

    package init(
        version: String, limits: Limits = Limits(), passwordCost: PasswordHash.Cost = .recommended,
        parallelPasswordHashes: Int = PasswordHasher.defaultParallel, retention: Retention = Retention(),
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
    /// The response of `GET /v1/config`.
    /// - Parameter sessionIdle: milliseconds after which an unused session ends; nil: never.
    func response(sessionIdle: Int64?) -> ConfigResponse {
        ConfigResponse(
            version: version, protocolVersion: ProtocolVersion.current, limits: limits, registration: registration,
            rates: rates, quotas: quotas, sessionIdle: sessionIdle, mail: mail != nil,
            rooms: rooms, identityProvider: identity?.browsers?.name)
    }
}
