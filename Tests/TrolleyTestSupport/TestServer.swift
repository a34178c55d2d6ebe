import Logging
package import TrolleyCluster
import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The one PostgreSQL of a test process. It ends with the process, and takes its files with it.
actor TestServer {
    static let shared = TestServer()

    private var starting: Task<(Cluster, Pool), any Error>?
    private var templates: [String: Task<String, any Error>] = [:]
    private var made = 0

    func makeDatabase(_ template: TestTemplate?) async throws -> String {
        let (cluster, pool) = try await running()
        made += 1
        let name = "test_\(made)"
        let source = if let template { try await database(of: template) } else { "template0" }
        try await pool.withConnection { connection in
            _ = try await connection.execute("CREATE DATABASE \(unescaped: name) TEMPLATE \(unescaped: source)")
        }
        return cluster.connectionString(database: name)
    }

    func dropDatabase(_ url: String) async throws {
        let (_, pool) = try await running()
        let name = url.split(separator: "/").last?.prefix { $0 != "?" } ?? ""
        try await pool.withConnection { connection in
            _ = try await connection.execute("DROP DATABASE \(unescaped: String(name)) WITH (FORCE)")
        }
    }

    private func database(of template: TestTemplate) async throws -> String {
        if let made = templates[template.name] { return try await made.value }
        let making = Task {
            let (cluster, pool) = try await running()
            let name = "template_\(template.name)"
            try await pool.withConnection { connection in
                _ = try await connection.execute("CREATE DATABASE \(unescaped: name)")
            }
            try await template.prepare(cluster.connectionString(database: name))
            return name
        }
        templates[template.name] = making
        return try await making.value
    }

    private func running() async throws -> (Cluster, Pool) {
        if let starting { return try await starting.value }
        let start = Task {
            let cluster = try await Cluster.start(.ephemeral(), logger: Logger(label: "test-server"))
            var options = Pool.Options()
            // A hundred tests may create their database at the same moment, while the machine is building.
            options.acquireTimeout = .seconds(300)
            return (cluster, Pool(try .patient(cluster.connectionString()), options: options))
        }
        starting = start
        return try await start.value
    }
}

extension ClusterConfiguration {
    /// A cluster in a directory of its own in `/tmp`, gone when the process is. For tests that stop and kill servers.
    package static func ephemeral() -> ClusterConfiguration {
        var template = Array("/tmp/trolley-test-XXXXXX".utf8CString)
        let directory = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp/trolley-test"
        var configuration = ClusterConfiguration(dataDirectory: directory)
        configuration.isEphemeral = true
        // Twelve tests at a time, each with one or two pools.
        configuration.settings["max_connections"] = "500"
        // PostgreSQL's planner settings are its defaults, JIT included. What else an operator may have set is set here otherwise
        // than Trolley would like it, so that nothing relies on it unsaid.
        // Without daylight saving time: a test that says '99 days ago' means so many times 24 hours.
        configuration.settings["timezone"] = "Asia/Kathmandu"
        configuration.settings["datestyle"] = "SQL, DMY"
        configuration.settings["bytea_output"] = "escape"
        configuration.settings["default_transaction_isolation"] = "repeatable read"
        return configuration
    }
}
