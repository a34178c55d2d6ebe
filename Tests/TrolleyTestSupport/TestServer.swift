import Logging
package import TrolleyCluster
import TrolleyPostgres

/// The only PostgreSQL of a test process. When the process ends, the server ends, too, and its files are removed.
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
    /// A cluster in its own directory, removed when the process ends. For tests that stop and kill servers.
    package static func ephemeral() -> ClusterConfiguration {
        var configuration = ClusterConfiguration(dataDirectory: makeTemporaryDirectory(for: "test"))
        configuration.isEphemeral = true
        // Twelve tests at a time, each with one or two pools.
        configuration.settings["max_connections"] = "500"
        // The planner settings are PostgreSQL's defaults, including JIT. Other settings that an operator may change
        // have values that don't suit Trolley, so that no statement relies on a setting that it doesn't state.
        // Without daylight saving time, so that '99 days ago' in a test means 99 times 24 hours.
        configuration.settings["timezone"] = "Asia/Kathmandu"
        configuration.settings["datestyle"] = "SQL, DMY"
        configuration.settings["bytea_output"] = "escape"
        configuration.settings["default_transaction_isolation"] = "repeatable read"
        return configuration
    }
}
