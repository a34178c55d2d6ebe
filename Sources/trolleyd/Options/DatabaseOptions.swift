import ArgumentParser
import Logging
import TrolleyCluster
import TrolleyPostgres
import TrolleyStore

/// The database: one that a URL names, or trolleyd's own.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The PostgreSQL to use, as a URL. Without a URL trolleyd runs its own.")
    var databaseURL: String?

    @Option(help: "The directory of trolleyd's own PostgreSQL.")
    var dataDirectory: String?

    @Flag(help: "Prepare no statements; needed behind a pooler in transaction mode, such as pgbouncer.")
    var noPrepare = false

    /// How a command uses trolleyd's own PostgreSQL.
    enum Use {
        /// The service: runs the server and keeps the data directory.
        case service
        /// Uses the existing cluster, or creates one.
        case create
        /// Uses an existing cluster only.
        case inspect
    }

    /// Runs `body` with a pool on the database. trolleyd's own PostgreSQL runs while `body` does.
    ///
    /// If a service runs on the data directory, any use but `.service` connects to its PostgreSQL. A service that
    /// starts meanwhile gets the directory at once, and `body` runs again on its PostgreSQL. So `body` must be
    /// repeatable.
    /// - Parameters:
    ///   - connections: the maximum number of connections.
    ///   - isRepeatable: false when `body` prints while it runs.
    func withPool<Value: Sendable>(
        _ settings: Settings, connections: Int = Pool.Options().maximumConnections, logger: Logger,
        for use: Use, isRepeatable: Bool = true, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        if let url = try settings.optional(databaseURL, "database.url") {
            return try await withPool(on: configuration(settings, url), connections: connections, body)
        }
        let cluster = ClusterConfiguration(dataDirectory: try directory(settings))
        var interruptions = 0
        while true {
            switch try await run(settings, on: cluster, connections: connections, logger: logger, for: use, body) {
            case .done(let result): return try result.get()
            case .interrupted(let error):
                interruptions += 1
                if isRepeatable, interruptions < Self.tries { continue }
                throw error ?? CommandError("A service has started on the data directory. Try again.")
            }
        }
    }

    private static let tries = 4

    private enum Outcome<Value> {
        case done(Result<Value, any Error>)
        /// The server ended, or a service took the directory. `body` may have run partially.
        case interrupted((any Error)?)
    }

    private func run<Value: Sendable>(
        _ settings: Settings, on own: ClusterConfiguration, connections: Int, logger: Logger, for use: Use,
        _ body: (Pool) async throws -> Value
    ) async throws -> Outcome<Value> {
        let cluster: Cluster
        do throws(ClusterError) {
            let role: Cluster.Role =
                switch use {
                case .service: .service
                case .create: .command(createsCluster: true)
                case .inspect: .command(createsCluster: false)
                }
            cluster = try await Cluster.start(own, as: role, logger: logger)
        } catch {
            guard use != .service, case .inUse = error,
                let url = await Cluster.connectionString(
                    ofServiceIn: own.dataDirectory, lockTimeout: .seconds(10))
            else { throw error }
            do {
                return .done(
                    .success(
                        try await withPool(on: configuration(settings, url), connections: connections, body)))
            } catch  where error.isServerAway {
                return .interrupted(error)
            }
        }
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await withPool(
                    on: configuration(settings, cluster.connectionString()), connections: connections, body))
        } catch {
            result = .failure(error)
        }
        await cluster.stop()
        // A result counts even if a service took the directory right after it.
        if case .failure = result, cluster.isHandedOver { return .interrupted(nil) }
        return .done(result)
    }

    func directory(_ settings: Settings) throws -> String {
        try settings.value(dataDirectory, "data.directory", default: ClusterConfiguration.defaultDataDirectory)
    }

    /// The directory of trolleyd's own PostgreSQL; nil when a URL names another one.
    func ownDirectory(_ settings: Settings) throws -> String? {
        try settings.optional(databaseURL, "database.url") == nil ? directory(settings) : nil
    }

    func configuration(_ settings: Settings, _ url: String) throws -> PostgresConfiguration {
        var configuration = try Store.configuration(url)
        configuration.preparesStatements = try !settings.isOn(noPrepare, "no.prepare")
        return configuration
    }

    private func withPool<Value: Sendable>(
        on configuration: PostgresConfiguration, connections: Int, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        var options = Pool.Options()
        options.maximumConnections = connections
        let pool = Pool(configuration, options: options)
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }
}

extension Error {
    /// Whether the call may succeed on another server, or later.
    fileprivate var isServerAway: Bool {
        switch self {
        case let error as PostgresError: error.isTransient
        case let error as StoreError: if case .unavailable = error { true } else { false }
        default: false
        }
    }
}
