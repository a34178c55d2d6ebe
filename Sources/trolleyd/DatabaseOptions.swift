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

    /// Runs `body` with a pool on the database; a PostgreSQL of our own runs as long as `body` does.
    /// - Parameter joining: whether to use the PostgreSQL of a service that runs on the data directory already.
    func withPool<Value: Sendable>(
        _ settings: Settings, logger: Logger, joining: Bool = false, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        if let url = try settings.optional(databaseURL, "database.url") {
            return try await withPool(on: url, body)
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
            return try await withPool(on: url, body)
        }
        do {
            let value = try await withPool(on: cluster.connectionString(), body)
            await cluster.stop()
            return value
        } catch {
            await cluster.stop()
            throw error
        }
    }

    private func withPool<Value: Sendable>(
        on url: String, _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(try PostgresConfiguration(url))
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
