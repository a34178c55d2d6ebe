import ArgumentParser
import Logging
import TrolleyCluster
import TrolleyPostgres

/// Which database: one that is named, or one of the service's own.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "PostgreSQL to use, as a URL. Without one, trolleyd runs its own.")
    var databaseURL: String?

    @Option(help: "Where trolleyd keeps the PostgreSQL that it runs itself.")
    var dataDirectory: String?

    @Flag(help: "Prepare no statements: for a pooler in transaction mode, such as pgbouncer.")
    var noPrepare = false

    /// Runs `body` with a pool on the database; a PostgreSQL of our own runs as long as `body` does.
    /// - Parameters:
    ///   - connections: at the most.
    ///   - joining: whether to use the PostgreSQL of a service that runs on the data directory already.
    func withPool<Value: Sendable>(
        _ settings: Settings, connections: Int = Pool.Options().maximumConnections, logger: Logger,
        joining: Bool = false, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        if let url = try settings.optional(databaseURL, "database.url") {
            return try await withPool(on: configuration(settings, url), connections: connections, body)
        }
        let directory = try settings.value(
            dataDirectory, "data.directory", default: ClusterConfiguration.defaultDataDirectory)
        let cluster: Cluster
        do throws(ClusterError) {
            cluster = try await Cluster.start(ClusterConfiguration(dataDirectory: directory), logger: logger)
        } catch {
            guard joining, case .inUse = error, let url = Cluster.connectionString(ofServiceIn: directory) else {
                throw error
            }
            return try await withPool(on: PostgresConfiguration(url), connections: connections, body)
        }
        do {
            let value = try await withPool(
                on: PostgresConfiguration(cluster.connectionString()), connections: connections, body)
            await cluster.stop()
            return value
        } catch {
            await cluster.stop()
            throw error
        }
    }

    func configuration(_ settings: Settings, _ url: String) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url)
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
