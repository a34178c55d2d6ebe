public import ArgumentParser
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle
import TrolleyMigrations
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
public import TrolleyWire

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service until SIGTERM or SIGINT.",
        discussion: """
            Before it stops, the service finishes running requests.

            Example:
              trolleyd serve --port 8080 --data-directory ~/trolley-data
            """)

    @Option(help: "Address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "Port to listen on; 0 takes a free one. (default: 8080)")
    var port: Int?

    @Option(help: "The age from which the service compresses entries: 14d, 12h, 30m, 45s. (default: 14d)")
    var compressOlderThan: Age?

    @Option(help: "Who may sign up: open (everybody), invitation, or closed (nobody). (default: open)")
    var registration: Registration?

    @Option(
        help:
            "How long a device may be unused before it must sign in again: 365d, at least 1h; 0s: for ever. (default: 365d)"
    )
    var sessionIdle: Age?

    @OptionGroup(title: "Retention") var retention: RetentionOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup(title: "Upgrades") var backup: MigrationBackup

    @Option(help: "A standby of the database, as a URL. It answers reads when it is not behind.")
    var replicaURL: String?

    @Option(
        help: """
            The database itself, as a URL, where --database-url is a pooler. Processes notify each other of changes \
            over this connection. Without it, and with --no-prepare, they poll every five seconds.
            """)
    var listenURL: String?

    @Flag(
        help: """
            On a Citus cluster, send all statements to the coordinator, instead of those about one list to its node.
            """)
    var coordinatorOnly = false

    @OptionGroup(title: "Log") var log: LogOptions
    @OptionGroup(title: "Network and identity") var network: NetworkOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions

    @Flag(help: "Print the address as one JSON document.")
    var json = false

    func run() async throws {
        let settings = Settings()
        let host = try settings.value(host, "host", default: "127.0.0.1")
        let port = try settings.value(port, "port", default: 8080)
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535") }
        let age = try settings.compressionAge(compressOlderThan)
        let registration = try settings.value(registration, "registration", default: .open)
        let idle = try settings.value(sessionIdle, "session.idle", default: Age(days: 365)).milliseconds
        guard idle == 0 || idle >= 3_600_000 else { throw ValidationError("--session-idle must be at least 1h, or 0s") }
        let logger = try log.logger(settings)
        var configuration = ServiceConfiguration(
            version: Trolleyd.version, retention: try retention.retention(settings, olderThan: age),
            registration: registration)
        configuration.logLevels = try log.levels(settings)
        configuration.givenSettings = Settings.shown()
        #if SeededFaults
            // Without optimization, scrypt takes a second and more for each of the people whom tests sign up.
            if try settings.isOn(false, "test.weak.passwords") { configuration.passwordCost = .weak }
        #endif
        try limits.apply(to: &configuration, settings)
        let privileges = try Privileges(dataDirectory: database.ownDirectory(settings), logger: logger)
        try privileges.reading { try network.apply(to: &configuration, settings) }
        let reading = try limits.memory.reading(settings)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let replica = try settings.optional(replicaURL, "replica.url").map { url in
            var options = Pool.Options()
            options.acquireTimeout = .milliseconds(500)
            return Pool(try database.configuration(settings, url), options: options)
        }
        configuration.tlsReader = await privileges.tlsReader(for: configuration.tls)
        let coordinatorOnly = try settings.isOn(coordinatorOnly, "coordinator.only")
        let listens = try settings.optional(listenURL, "listen.url").map { url in try PostgresConfiguration(url) }

        try await database.withPool(settings, logger: logger, for: .service) { [configuration] pool in
            try await backup.run(settings, on: pool, of: database, logger: logger)
            let migrated = try await Migrator(pool: pool).migrate { progress in logger.notice("\(progress)") }
            for migration in migrated {
                logger.info("migrated the database", metadata: ["migration": "\(migration.version) \(migration.name)"])
            }
            let standby = replica.map { pool in
                Replica(pool: pool) { error in
                    logger.warning(
                        "the replica can't be reached; the primary answers", metadata: ["error": "\(error)"])
                }
            }
            // LISTEN doesn't work through a pooler in transaction mode.
            let listening = listens ?? (pool.configuration.preparesStatements ? pool.configuration : nil)
            let store = Store(
                pool: pool, replica: standby, reading: reading, sessionIdle: idle == 0 ? nil : idle,
                signals: listening.map { ChangeSignals($0) },
                nodes: nodeAccess(coordinatorOnly || !pool.configuration.preparesStatements, logger))
            var configuration = configuration
            let nodes = try await store.directNodes()
            let pooled = pool.options.maximumConnections * (1 + nodes) + (replica?.options.maximumConnections ?? 0)
            boundConnections(of: &configuration, besides: pooled, logger)
            let service = try await Service(
                store: store, configuration: configuration, metrics: metrics, logger: logger)
            let announcement = Announcement(
                host: host, isSecure: configuration.tls != nil, hasWebApp: configuration.web != nil,
                lacksWebApp: try network.web.isMissing(configuration.web, settings),
                json: try settings.isOn(json, "json"))
            let application = service.application(host: host, port: port, logger: logger) { port in
                await privileges.drop(reaching: pool.configuration)
                announcement.print(port: port)
            }
            let trimming = Task { await Allocator.trimPeriodically() }
            defer { trimming.cancel() }
            do { try await application.runService() } catch {
                await store.leaveNodes()
                throw listeningFailure(error, host: host, port: port)
            }
            await store.leaveNodes()
        }
        await replica?.close()
    }

    private func nodeAccess(_ isCoordinatorOnly: Bool, _ logger: Logger) -> NodeAccess {
        if isCoordinatorOnly { return .byCoordinator }
        return .direct { problem, error in
            switch problem {
            case .placement:
                logger.warning(
                    "the database doesn't say where lists are; the coordinator passes their statements on",
                    metadata: ["error": "\(error)"])
            case .node(let node):
                logger.warning(
                    "a node can't be asked directly; the coordinator passes its lists' statements on",
                    metadata: ["node": "\(node)", "error": "\(error)"])
            }
        }
    }

    /// Never more connections than the process may have open files.
    /// - Parameter pooled: connections to databases.
    private func boundConnections(of configuration: inout ServiceConfiguration, besides pooled: Int, _ logger: Logger) {
        let wanted = configuration.connections
        let possible = OpenFiles.connections(atMost: wanted, besides: pooled)
        guard possible < wanted else { return }
        configuration.connections = possible
        logger.warning(
            "the limit of open files leaves room for fewer connections (ulimit -n, LimitNOFILE)",
            metadata: ["connections": "\(possible)", "setting": "\(wanted)"])
    }
}

extension Registration: ExpressibleByArgument {}
