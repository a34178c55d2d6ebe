import FoundationEssentials
import Logging
import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyTestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A data directory of the test's own, with the information that tests need. It is removed at the end.
struct ClusterDirectory {
    let path: String

    var configuration: ClusterConfiguration { ClusterConfiguration(dataDirectory: path) }
    var postmasterFile: String { "\(path)/postgres/postmaster.pid" }

    var postmaster: pid_t? {
        (try? String(contentsOfFile: postmasterFile, encoding: .utf8)).flatMap { pid_t($0.prefix { $0.isNumber }) }
    }

    func start(as role: Cluster.Role = .service) async throws -> Cluster {
        try await Cluster.start(configuration, as: role, logger: .quiet)
    }

    /// `name`: below a new directory that everybody may enter.
    static func temporary<R>(
        _ name: String = "data", _ body: (ClusterDirectory) async throws -> R
    ) async throws -> R {
        let parent = makeTemporaryDirectory(for: "cluster")
        chmod(parent, 0o755)
        defer { try? FileManager.default.removeItem(atPath: parent) }
        return try await body(ClusterDirectory(path: "\(parent)/\(name)"))
    }
}

extension Cluster {
    @discardableResult
    func execute(_ query: Query) async throws -> Rows {
        try await Connection.connect(PostgresConfiguration(connectionString())).execute(query)
    }
}

extension Logger {
    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }
}
