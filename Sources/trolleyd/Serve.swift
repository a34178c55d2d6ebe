import ArgumentParser
import Hummingbird
import Logging
import ServiceLifecycle
import TrolleyMigrations
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
import TrolleyWire

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the service until it is told to stop (SIGTERM or SIGINT).",
        discussion: """
            Requests that are being answered are finished before it stops.

            Example:
              trolleyd serve --port 8080 --data-directory ~/trolley-data
            """)

    @Option(help: "Address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "Port to listen on; 0 takes a free one. (default: 8080)")
    var port: Int?

    @Option(help: "How old what the service compresses must be: 14d, 12h, 30m, 45s. (default: 14d)")
    var compressOlderThan: Age?

    @OptionGroup var retention: RetentionOptions
    @OptionGroup var database: DatabaseOptions

    @Option(help: "A standby of the database, as a URL, which answers what only reads when it is not behind.")
    var replicaURL: String?

    @Option(
        help: """
            The database itself, as a URL, where --database-url is a pooler: there the processes tell each other of \
            changes. Without it, and with --no-prepare, they look every few seconds.
            """)
    var listenURL: String?

    @Option(help: "What to log: trace, debug, info, notice, warning, error. (default: info)")
    var logLevel: LogLevel?

    @Flag(help: "Say where it serves as one JSON document.")
    var json = false

    func run() async throws {
        let settings = Settings()
        let host = try settings.value(host, "host", default: "127.0.0.1")
        let port = try settings.value(port, "port", default: 8080)
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535") }
        let level = try settings.value(logLevel, "log.level", default: LogLevel(level: .info))
        let age = try settings.value(compressOlderThan, "compress.older.than", default: Age(days: 14))
        let retention = try retention.retention(settings, olderThan: age)
        let logger = Logger(label: "trolleyd", level: level.level)
        let replica = try settings.optional(replicaURL, "replica.url").map { url in
            var options = Pool.Options()
            options.acquireTimeout = .milliseconds(500)
            return Pool(try database.configuration(settings, url), options: options)
        }
        let listens = try settings.optional(listenURL, "listen.url").map { url in try PostgresConfiguration(url) }

        try await database.withPool(settings, logger: logger) { pool in
            for migration in try await Migrator(pool: pool).migrate() {
                logger.info("migrated the database", metadata: ["migration": "\(migration.version) \(migration.name)"])
            }
            let service = try await Service(
                store: Store(pool: pool, replica: replica.map { Replica(pool: $0) }),
                configuration: ServiceConfiguration(version: Trolleyd.version, retention: retention),
                // A pooler in transaction mode forgets who listens.
                database: listens ?? (pool.configuration.preparesStatements ? pool.configuration : nil), logger: logger)
            let announcement = Announcement(host: host, json: try settings.isOn(json, "json"))
            let application = service.application(host: host, port: port, logger: logger) { port in
                announcement.print(port: port)
            }
            try await application.runService()
        }
        await replica?.close()
    }
}

/// A level of swift-log's, as a flag.
struct LogLevel: ExpressibleByArgument, LosslessStringConvertible {
    let level: Logger.Level
    var description: String { level.rawValue }

    init(level: Logger.Level) { self.level = level }

    init?(_ description: String) {
        guard let level = Logger.Level(rawValue: description) else { return nil }
        self.level = level
    }

    init?(argument: String) { self.init(argument) }
}

extension Logger {
    /// Logs go to standard error: standard output is for answers.
    init(label: String, level: Level) {
        self.init(label: label) { StreamLogHandler.standardError(label: $0) }
        logLevel = level
    }
}
