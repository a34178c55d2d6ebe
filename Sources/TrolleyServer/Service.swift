import Crypto
import HTTPTypes
package import Hummingbird
package import Logging
import ServiceLifecycle
import TrolleyJournal
package import TrolleyStore
import TrolleyWire

/// The service without its socket: composes everything that answers requests.
package struct Service: Sendable {
    let store: Store
    let configuration: ServiceConfiguration
    let hub: EventHub
    let rooms: RoomHub
    let hosted: HostedDriving
    let metrics: ServiceMetrics
    let connections: ConnectionCount
    let unsent: UnsentResponses
    let hasher: PasswordHasher
    let identityExchange: IdentityExchange?
    let tokenKey: ChangeToken.Key
    let limiter: RateLimiter
    private let forwarding: ForwardingMonitor
    private let credentials: CredentialCheck
    /// nil when the service sends no mail.
    let mailer: Mailer?
    private let pushIdentities: PushIdentitySource
    private let uploads: Uploads
    let gestures: Gestures
    let feed: ChangeFeed
    private let epochs: EpochMonitor
    let leadership: Leadership
    let disk: DiskMonitor
    let readiness: ReadinessCheck
    let bodies: BodyBudget

    /// - Throws: `StoreError` when the database can't be read.
    package init(
        store: Store, configuration: ServiceConfiguration,
        metrics registry: PrometheusRegistry = PrometheusRegistry(), logger: Logger = Logger(label: "trolleyd")
    ) async throws(StoreError) {
        self.store = store
        self.configuration = configuration
        let metrics = ServiceMetrics(registry)
        self.metrics = metrics
        hasher = PasswordHasher(
            cost: configuration.passwordCost, parallel: configuration.parallelPasswordHashes,
            waiting: configuration.waitingPasswordHashes, metrics: metrics)
        let limitsLogger = logger.part(.limits, configuration.logLevels)
        limiter = RateLimiter(
            configuration.rates,
            refused: { kind in
                metrics.count(.limited, [("by", kind.rawValue)])
                limitsLogger.debug("a limit was exceeded", metadata: ["by": "\(kind.rawValue)"])
            }, clock: configuration.rateClock)
        forwarding = ForwardingMonitor(trust: configuration.proxies, store: store, logger: limitsLogger)
        connections = ConnectionCount(
            maximum: configuration.connections, byAddress: configuration.connectionsByAddress)
        bodies = BodyBudget(bytes: configuration.bodyBytes)
        unsent = UnsentResponses(bytes: configuration.unsentResponseBytes, proxies: configuration.proxies.proxies)
        credentials = CredentialCheck(
            store: store, limiter: limiter, hasher: hasher,
            identities: configuration.identity.map {
                IdentityVerifier($0, logger: logger.part(.identity, configuration.logLevels))
            },
            registration: configuration.registration, passwordCost: configuration.passwordCost)
        identityExchange = configuration.identity.flatMap { provider in
            provider.browsers.map { _ in
                IdentityExchange(provider, logger: logger.part(.identity, configuration.logLevels))
            }
        }
        mailer = configuration.mail.map {
            Mailer($0, store: store, metrics: metrics, logger: logger.part(.http, configuration.logLevels))
        }
        tokenKey = ChangeToken.Key(key: SymmetricKey(data: try await store.tokenKey()))
        pushIdentities = PushIdentitySource(store: store)
        hub = EventHub(
            store: store, pollInterval: configuration.pollInterval, rates: configuration.rates,
            limiter: limiter, metrics: metrics, logger: logger.part(.events, configuration.logLevels))
        rooms = RoomHub(
            store: store, events: hub, limits: configuration.rooms, limiter: limiter,
            pingInterval: configuration.socketPingInterval, presenceInterval: configuration.roomPresenceInterval,
            uncheckedLimit: configuration.roomUncheckedLimit, metrics: metrics,
            logger: logger.part(.events, configuration.logLevels))
        disk = DiskMonitor(
            store: store, minimum: configuration.minimumFreeSpace,
            logger: logger.part(.http, configuration.logLevels), probe: configuration.diskProbe)
        await disk.check()
        readiness = ReadinessCheck { () async throws(StoreError) in try await store.ping() }
        // Before the first request, because a restored backup must not honour old tokens.
        let epoch = try await store.checkEpoch()
        epochs = EpochMonitor(
            store: store, known: epoch.id, hub: hub, logger: logger.part(.events, configuration.logLevels))
        leadership = Leadership(store: store, logger: logger.part(.events, configuration.logLevels))
        let receiptKey = ReceiptKey(tokenKey)
        uploads = Uploads(
            store: store, hub: hub, metrics: metrics, tokenKey: tokenKey, receiptKey: receiptKey,
            limits: configuration.limits, quotas: configuration.quotas)
        gestures = Gestures(store: store, uploads: uploads, limits: configuration.limits)
        feed = ChangeFeed(
            store: store, tokenKey: tokenKey, receiptKey: receiptKey, ownership: Ownership(store: store, key: tokenKey),
            digestFolder: DigestFolder(store: store, metrics: metrics), epochs: epochs, disk: disk, metrics: metrics,
            limits: configuration.limits)
        hosted = HostedDriving(
            store: store, hub: hub, disk: disk, uploads: uploads, feed: feed, configuration: configuration)
    }

    /// Returns the server, ready to run. `onRunning` is called with the port when the server listens.
    package func application(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let logger = logger.part(.http, configuration.logLevels)
        let secure = configuration.tls.map {
            SecureChannels(
                files: $0, reader: configuration.tlsReader, goodbye: configuration.timeouts.goodbye, logger: logger)
        }
        return Application(
            responder: HeadResponder(base: router().buildResponder()),
            server: server(secure: secure, logger: logger),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "trolley/\(configuration.version)"),
            services: secureServices(secure) + [DatabaseUse(.hints, hub), DatabaseUse(.hints, RoomKeeper(hub: rooms))]
                + backgroundServices(logger).map { DatabaseUse(.background, $0) },
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger.ofRequests)
    }

    private func backgroundServices(_ logger: Logger) -> [any ServiceLifecycle.Service] {
        let levels = configuration.logLevels
        return [
            epochs, disk, leadership,
            HostedDriver(leadership: leadership, driving: hosted, logger: logger),
            Compressor(
                leadership: leadership, store: store, retention: configuration.retention,
                logger: logger.part(.compression, levels), hub: hub, metrics: metrics, disk: disk),
            Backfiller(
                leadership: leadership, store: store, logger: logger.part(.compression, levels), metrics: metrics,
                disk: disk),
            Summarizer(
                leadership: leadership, store: store, hub: hub, metrics: metrics, disk: disk,
                logger: logger.part(.events, levels)),
            Courier(
                leadership: leadership, wake: hub.background.deliveries, store: store, settings: configuration.push,
                identities: pushIdentities, tokenKey: tokenKey, metrics: metrics, disk: disk,
                logger: logger.part(.events, levels)),
            CalendarNotifier(
                leadership: leadership, store: store, hub: hub, settings: configuration.push, disk: disk,
                logger: logger.part(.events, levels)),
            Sweeper(leadership: leadership, store: store, logger: logger, hub: hub, disk: disk),
            StatementRecorder(store: store, logger: logger, disk: disk),
            ProcessRecorder(store: store, configuration: configuration, logger: logger, disk: disk),
        ]
    }

    private func secureServices(_ secure: SecureChannels?) -> [any ServiceLifecycle.Service] {
        if let secure { [secure] } else { [] }
    }

    func router() -> Router<TrolleyContext> {
        let router = Router(context: TrolleyContext.self)
        router.add(
            middleware: RequestLogMiddleware(
                trust: configuration.proxies, speaksTLS: configuration.tls != nil, forwarding: forwarding,
                metrics: metrics))
        router.add(middleware: SecurityHeadersMiddleware())
        if TracingMiddleware.isNeeded { router.add(middleware: TracingMiddleware()) }
        router.add(middleware: CrossOriginMiddleware(origins: configuration.origins))
        let table = RouteTable()
        router.add(middleware: ProblemMiddleware(limits: configuration.limits, table: table))
        router.add(middleware: RateLimitMiddleware(limiter: limiter))
        router.add(middleware: WriteGuardMiddleware(disk: disk))
        // After authentication, so that no body is read from a client that isn't signed in.
        let bodies = BodyMiddleware(limits: configuration.limits, budget: bodies)
        let open = router.group().add(middleware: bodies)
        let signedIn = router.group()
            .add(middleware: AuthenticationMiddleware(store: store, limiter: limiter)).add(middleware: bodies)
        let driven = router.group("v1/hosted/:device")
            .add(middleware: HostedMiddleware(store: store, limiter: limiter)).add(middleware: bodies)
        let rooms = RoomRoutes(
            store: store, hub: rooms, origins: configuration.origins, limits: configuration.limits)
        rooms.addHails(to: signedIn)
        rooms.addSockets(
            to: router.group().add(middleware: SocketMiddleware(forwarding: forwarding))
                .add(middleware: AuthenticationMiddleware(store: store, limiter: limiter)).add(middleware: bodies))
        addOperationRoutes(to: router)
        addPeopleRoutes(open: open, signedIn: signedIn)
        addListRoutes(to: signedIn)
        let invitations = InvitationRoutes(
            store: store, hub: hub, limiter: limiter, limits: configuration.limits)
        invitations.add(to: signedIn)
        invitations.addLook(
            to: router.group()
                .add(middleware: AuthenticationMiddleware(store: store, limiter: limiter, isOptional: true))
                .add(middleware: bodies))
        let hosted = HostedRoutes(store: store, driving: hosted, limits: configuration.limits)
        hosted.addDevices(to: signedIn)
        hosted.add(to: driven)
        addCalendarRoutes(to: router, bodies)
        addAssistantRoutes(to: router, bodies)
        DiagnosticsRoutes(store: store, version: configuration.version).add(to: signedIn)
        OperatorRoutes(store: store, metrics: metrics, connections: connections, configuration: configuration)
            .add(to: signedIn)
        ExportRoutes(store: store).add(to: signedIn)
        table.fill(from: router)
        return router
    }

    private func addOperationRoutes(to router: Router<TrolleyContext>) {
        OperationRoutes(
            store: store, hub: hub, rooms: rooms, hasher: hasher, connections: connections, disk: disk,
            readiness: readiness, metrics: metrics, configuration: configuration
        ).add(to: router)
        if let site = configuration.web {
            WebRoutes(site: site).add(to: router)
        } else {
            JoinPage().add(to: router)
        }
    }

    /// - Parameters:
    ///   - open: routes that need no session.
    ///   - signedIn: routes for signed-in devices.
    private func addPeopleRoutes(open: RouterGroup<TrolleyContext>, signedIn: RouterGroup<TrolleyContext>) {
        let limits = configuration.limits
        let accounts = AccountRoutes(
            store: store, hub: hub, limiter: limiter, hasher: hasher, credentials: credentials,
            registration: configuration.registration, limits: limits)
        accounts.addSignUp(to: open)
        accounts.add(to: signedIn)
        let sessions = SessionRoutes(
            store: store, hub: hub, credentials: credentials, limits: limits, quotas: configuration.quotas)
        sessions.addSignIn(to: open)
        IdentityRoutes(
            store: store, credentials: credentials, limiter: limiter, exchange: identityExchange,
            issuer: configuration.identity?.issuer, quotas: configuration.quotas
        ).add(to: open)
        sessions.add(to: signedIn)
        TokenRoutes(store: store, hub: hub, limits: limits).add(to: signedIn)
        let passwords = PasswordRoutes(
            store: store, hub: hub, limiter: limiter, hasher: hasher, credentials: credentials, limits: limits)
        passwords.addReset(to: open)
        passwords.add(to: signedIn)
        let emails = EmailRoutes(
            store: store, hub: hub, limiter: limiter, credentials: credentials, mailer: mailer, limits: limits)
        emails.addCodes(to: open)
        emails.add(to: signedIn)
    }

    private func addCalendarRoutes(to router: Router<TrolleyContext>, _ bodies: BodyMiddleware) {
        let calendars = CalendarRoutes(
            store: store, hub: hub, gestures: gestures, tokenKey: tokenKey, limits: configuration.limits,
            quotas: configuration.quotas,
            push: CalendarPush(identities: pushIdentities, settings: configuration.push))
        calendars.addWellKnown(to: router)
        // Bodies are inside, so that their errors are answered as WebDAV's, too.
        calendars.add(
            to: router.group()
                .add(middleware: CalendarMiddleware(store: store, limiter: limiter, limits: configuration.limits))
                .add(middleware: bodies))
    }

    private func addAssistantRoutes(to router: Router<TrolleyContext>, _ bodies: BodyMiddleware) {
        let assistants = AssistantMiddleware(store: store, limiter: limiter, origins: configuration.origins)
        AssistantRoutes(
            store: store, gestures: gestures, disk: disk, limits: configuration.limits,
            searchTime: configuration.assistantSearchTime
        ).add(to: router.group().add(middleware: assistants).add(middleware: bodies))
    }

    private func addListRoutes(to router: RouterGroup<TrolleyContext>) {
        let limits = configuration.limits
        ListRoutes(
            store: store, hub: hub, limiter: limiter, ownership: feed.ownership, tokenKey: tokenKey, limits: limits,
            quotas: configuration.quotas
        ).add(to: router)
        EntryRoutes(uploads: uploads, limits: limits).add(to: router)
        ChangeRoutes(feed: feed, store: store, limits: limits).add(to: router)
        SharingRoutes(store: store, hub: hub, limiter: limiter, limits: limits).add(to: router)
        PresenceRoutes(store: store, hub: hub, limits: limits).add(to: router)
        SummaryRoutes(store: store, limits: limits).add(to: router)
        PushRoutes(
            store: store, identities: pushIdentities, settings: configuration.push, limits: limits
        ).add(to: router)
        WebhookRoutes(store: store, settings: configuration.push, limits: limits).add(to: router)
        MessageRoutes(store: store, hub: hub, tokenKey: tokenKey, limits: limits).add(to: router)
        EventRoutes(hub: hub).add(to: router)
    }
}

extension TrolleyContext {
    /// An identifier in the path. Throws `code` when it is not a UUID.
    func identifier<ID: Identifier>(_ name: String, otherwise code: ProblemCode) throws -> ID {
        guard let id = parameters.get(name).flatMap({ ID($0) }) else { throw Problem(code) }
        return id
    }

    func list() throws -> ListID { try identifier("list", otherwise: .listNotFound) }
}
