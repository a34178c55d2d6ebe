public import ArgumentParser
import Hummingbird
import Logging
import ServiceLifecycle
import TrolleyMigrations
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
public import TrolleyWire

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

    @Option(help: "Who may sign up: open (everybody), invitation, or closed (nobody). (default: open)")
    var registration: Registration?

    @OptionGroup var database: DatabaseOptions

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
        let registration = try settings.value(registration, "registration", default: .open)
        let logger = Logger(label: "trolleyd", level: level.level)

        try await database.withPool(settings, logger: logger) { pool in
            for migration in try await Migrator(pool: pool).migrate() {
                logger.info("migrated the database", metadata: ["migration": "\(migration.version) \(migration.name)"])
            }
            let service = try await Service(
                store: Store(pool: pool),
                configuration: ServiceConfiguration(
                    version: Trolleyd.version, compressionAge: age.milliseconds, registration: registration),
                database: pool.configuration, logger: logger)
            let announcement = Announcement(host: host, json: try settings.isOn(json, "json"))
            let application = service.application(host: host, port: port, logger: logger) { port in
                announcement.print(port: port)
            }
            try await application.runService()
        }
    }
}

extension Registration: ExpressibleByArgument {}

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
