import Crypto
import HTTPTypes
public import Hummingbird
public import Logging
import TrolleyJournal
public import TrolleyPostgres
public import TrolleyStore
import TrolleyWire

/// The service behind HTTP: everything that answers, without the socket.
public struct Service: Sendable {
    let store: Store
    let configuration: ServiceConfiguration
    let hasher: PasswordHasher
    let tokenKey: SymmetricKey
    let hub: EventHub
    let epochs: EpochWatch

    /// - Parameters:
    ///   - database: where processes tell each other of changes; nil when there is only this one.
    /// - Throws: `StoreError`, when the database can't be read.
    public init(
        store: Store, configuration: ServiceConfiguration, database: PostgresConfiguration? = nil,
        logger: Logger = Logger(label: "trolleyd.events")
    ) async throws(StoreError) {
        self.store = store
        self.configuration = configuration
        hasher = PasswordHasher(
            cost: configuration.passwordCost, parallel: configuration.parallelPasswordHashes)
        tokenKey = SymmetricKey(data: try await store.tokenKey())
        hub = EventHub(store: store, database: database, logger: logger)
        // Before the first request: a restored backup must not honour a token.
        let epoch = try await store.checkEpoch()
        epochs = EpochWatch(store: store, known: epoch.id, hub: hub, logger: logger)
    }

    var limits: Limits { configuration.limits }

    /// The server, ready to run; `onRunning` is told the port when it listens.
    public func application(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: router(),
            server: .http1(configuration: .init(idleTimeout: .seconds(120))),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "trolley/\(configuration.version)"),
            services: [
                hub, epochs,
                Compressor(store: store, retention: configuration.retention, logger: logger, hub: hub),
            ],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger)
    }

    func router() -> Router<TrolleyContext> {
        let router = Router(context: TrolleyContext.self)
        router.add(middleware: ProblemMiddleware(limits: limits))
        addOperationRoutes(to: router)
        addAccountRoutes(to: router)
        let signedIn = router.group().add(middleware: AuthenticationMiddleware(store: store))
        addDeviceRoutes(to: signedIn)
        addListRoutes(to: signedIn)
        addEntryRoutes(to: signedIn)
        addChangeRoutes(to: signedIn)
        addSharingRoutes(to: signedIn)
        addEventRoutes(to: signedIn)
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
