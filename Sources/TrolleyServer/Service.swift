import Crypto
import HTTPTypes
public import Hummingbird
public import Logging
import ServiceLifecycle
import TrolleyJournal
public import TrolleyPostgres
public import TrolleyStore
import TrolleyWire

/// The service behind HTTP: everything that answers, without the socket.
public struct Service: Sendable {
    let store: Store
    let configuration: ServiceConfiguration
    let hasher: PasswordHasher
    let tokenKey: ChangeToken.Key
    let hub: EventHub
    let limiter: RateLimiter
    let metrics: ServiceMetrics
    let connections: ConnectionCount
    private let forwarding: ForwardingWatch
    let identity: IdentityVerifier?
    /// nil: the service sends no mail.
    let mailer: Mailer?
    let hosted = HostedRuns()
    let digestFolder: DigestFolder
    let epochs: EpochWatch
    let disk: DiskWatch
    let bodies: BodyBudget
    let unsent: UnsentAnswers

    /// - Parameters:
    ///   - database: where processes tell each other of changes; nil when there is only this one.
    /// - Throws: `StoreError`, when the database can't be read.
    public init(
        store: Store, configuration: ServiceConfiguration, database: PostgresConfiguration? = nil,
        metrics registry: PrometheusRegistry = PrometheusRegistry(), logger: Logger = Logger(label: "trolleyd")
    ) async throws(StoreError) {
        self.store = store
        self.configuration = configuration
        let metrics = ServiceMetrics(registry)
        self.metrics = metrics
        digestFolder = DigestFolder(store: store, metrics: metrics)
        hasher = PasswordHasher(
            cost: configuration.passwordCost, parallel: configuration.parallelPasswordHashes,
            waiting: configuration.waitingPasswordHashes, metrics: metrics)
        let limitsLogger = logger.part(.limits, configuration.logLevels)
        limiter = RateLimiter(configuration.rates) { kind in
            metrics.count(.limited, [("by", kind.rawValue)])
            limitsLogger.debug("a limit was met", metadata: ["by": "\(kind.rawValue)"])
        }
        forwarding = ForwardingWatch(trust: configuration.proxies, store: store, logger: limitsLogger)
        connections = ConnectionCount(
            maximum: configuration.connections, byAddress: configuration.connectionsByAddress)
        bodies = BodyBudget(bytes: configuration.bytesOfBodies)
        unsent = UnsentAnswers(bytes: configuration.bytesOfUnsentAnswers, proxies: configuration.proxies.proxies)
        identity = configuration.identity.map {
            IdentityVerifier($0, logger: logger.part(.identity, configuration.logLevels))
        }
        mailer = configuration.mail.map {
            Mailer($0, store: store, metrics: metrics, logger: logger.part(.http, configuration.logLevels))
        }
        tokenKey = ChangeToken.Key(key: SymmetricKey(data: try await store.tokenKey()))
        hub = EventHub(
            store: store, database: database, pollInterval: configuration.pollInterval, rates: configuration.rates,
            limiter: limiter, metrics: metrics, logger: logger.part(.events, configuration.logLevels))
        disk = DiskWatch(
            store: store, minimum: configuration.minimumFreeSpace,
            logger: logger.part(.http, configuration.logLevels), probe: configuration.diskProbe)
        await disk.look()
        // Before the first request: a restored backup must not honour a token.
        let epoch = try await store.checkEpoch()
        epochs = EpochWatch(
            store: store, known: epoch.id, hub: hub, pollInterval: configuration.pollInterval,
            logger: logger.part(.events, configuration.logLevels))
    }

    var limits: Limits { configuration.limits }

    /// The server, ready to run; `onRunning` is told the port when it listens.
    public func application(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let logger = logger.part(.http, configuration.logLevels)
        let secure = configuration.tls.map {
            SecureChannels(files: $0, reader: configuration.tlsReader, logger: logger)
        }
        return Application(
            responder: router().buildResponder(),
            server: server(secure: secure, logger: logger),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "trolley/\(configuration.version)"),
            services: secureServices(secure) + [
                hub, epochs, disk,
                HostedDriver(service: self, logger: logger),
                Compressor(
                    store: store, retention: configuration.retention,
                    logger: logger.part(.compression, configuration.logLevels), hub: hub, metrics: metrics, disk: disk),
                Sweeper(store: store, logger: logger, hub: hub, disk: disk),
                StatementRecorder(store: store, logger: logger, disk: disk),
            ],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger.ofRequests)
    }

    private func secureServices(_ secure: SecureChannels?) -> [any ServiceLifecycle.Service] {
        if let secure { [secure] } else { [] }
    }

    func router() -> Router<TrolleyContext> {
        let router = Router(context: TrolleyContext.self)
        router.add(
            middleware: ArrivalMiddleware(trust: configuration.proxies, forwarding: forwarding, metrics: metrics))
        if TracingMiddleware.isNeeded { router.add(middleware: TracingMiddleware()) }
        router.add(middleware: ProblemMiddleware(limits: limits))
        router.add(middleware: RateLimitMiddleware(limiter: limiter))
        router.add(middleware: WriteGuardMiddleware(disk: disk))
        addOperationRoutes(to: router)
        // After authentication: who isn't signed in is refused before anything of a body is read.
        let bodies = BodyMiddleware(limits: limits, budget: self.bodies)
        addAccountRoutes(to: router.group().add(middleware: bodies))
        let signedIn = router.group()
            .add(middleware: AuthenticationMiddleware(store: store, limiter: limiter)).add(middleware: bodies)
        addDeviceRoutes(to: signedIn)
        addListRoutes(to: signedIn)
        addEntryRoutes(to: signedIn)
        addChangeRoutes(to: signedIn)
        addSharingRoutes(to: signedIn)
        addInvitationRoutes(to: signedIn)
        addPresenceRoutes(to: signedIn)
        addEventRoutes(to: signedIn)
        addHostedDeviceRoutes(to: signedIn)
        addHostedRoutes(
            to: router.group("v1/hosted/:device")
                .add(middleware: HostedMiddleware(store: store, limiter: limiter)).add(middleware: bodies))
        addDiagnosticsRoutes(to: signedIn)
        addExportRoutes(to: signedIn)
        return router
    }
}

extension TrolleyContext {
    /// An identifier in the path. One that is no UUID names nothing.
    func identifier<ID: Identifier>(_ name: String, otherwise code: ProblemCode) throws -> ID {
        guard let id = parameters.get(name).flatMap({ ID($0) }) else { throw Problem(code) }
        return id
    }

    func list() throws -> ListID { try identifier("list", otherwise: .listNotFound) }
}
