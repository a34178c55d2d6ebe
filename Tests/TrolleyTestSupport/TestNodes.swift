import Foundation
import TrolleyPostgres

/// The Citus cluster of `TROLLEY_CITUS_URL`, if it is set: the URL of a database on the coordinator, with a role that
/// may create databases. Then the databases of tests are created on each of its nodes instead of on the test process's
/// own server.
package actor TestNodes {
    /// nil if there is none; then tests that need one are skipped.
    package static let shared: TestNodes? = ProcessInfo.processInfo.environment["TROLLEY_CITUS_URL"].flatMap(
        TestNodes.init)

    private let url: URLComponents
    private var nodes: [Node] = []
    private var templates: [String: Task<String, any Error>] = [:]
    private var made = 0

    /// A server of the cluster.
    package struct Node: Hashable, Sendable {
        package let host: String
        package let port: Int
        package let isCoordinator: Bool
    }

    private init?(_ url: String) {
        guard let url = URLComponents(string: url) else { return nil }
        self.url = url
    }

    /// The coordinator first.
    package func all() async throws -> [Node] {
        if nodes.isEmpty {
            let coordinator = try await connect(nil, to: String(url.path.dropFirst()))
            nodes = try await coordinator.execute(
                "SELECT nodename, nodeport::bigint, groupid = 0 FROM pg_dist_node ORDER BY groupid, nodeid"
            ).map { row in
                let (host, port, isCoordinator) = try row.decode((String, Int, Bool).self)
                return Node(host: host, port: port, isCoordinator: isCoordinator)
            }
        }
        return nodes
    }

    func makeDatabase(_ template: TestTemplate?) async throws -> String {
        made += 1
        let name = Self.name("\(made)")
        if let template {
            let source = try await database(of: template)
            try await onEach { node in
                try await self.connect(node).execute(
                    "CREATE DATABASE \(unescaped: name) TEMPLATE \(unescaped: source)")
            }
        } else {
            try await makeEmpty(name)
        }
        return string(for: name)
    }

    func dropDatabase(_ url: String) async throws {
        guard let name = URLComponents(string: url)?.path.dropFirst() else { return }
        try await onEach { try await self.drop(String(name), on: $0) }
    }

    /// On all nodes at the same time.
    private func onEach(_ body: @escaping @Sendable (Node) async throws -> Void) async throws {
        let nodes = try await all()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for node in nodes { tasks.addTask { try await body(node) } }
            try await tasks.waitForAll()
        }
    }

    /// Citus reconnects to each of its databases, so this may take several tries. A later process drops the remaining
    /// ones.
    private func drop(_ name: String, on node: Node) async throws {
        let connection = try await connect(node)
        for _ in 0..<20 {
            do {
                try await connection.execute("DROP DATABASE IF EXISTS \(unescaped: name) WITH (FORCE)")
                return
            } catch {
                guard error.sqlState?.rawValue == "55006" else { throw error }
            }
            // Sleeps: between two tries of a clean-up that may fail.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func name(_ suffix: String) -> String {
        "trolley_test_\(ProcessInfo.processInfo.processIdentifier)_\(suffix)"
    }

    private func makeEmpty(_ name: String) async throws {
        let nodes = try await all()
        for node in nodes {
            try await connect(node).execute("CREATE DATABASE \(unescaped: name)")
            try await connect(node, to: name).execute("CREATE EXTENSION citus")
        }
        let coordinator = try await connect(nodes[0], to: name)
        try await coordinator.execute(
            "SELECT citus_set_coordinator_host(\(nodes[0].host), \(Int32(nodes[0].port)))::text")
        for node in nodes.dropFirst() {
            try await coordinator.execute("SELECT citus_add_node(\(node.host), \(Int32(node.port)))::text")
        }
    }

    private func database(of template: TestTemplate) async throws -> String {
        if let made = templates[template.name] { return try await made.value }
        let making = Task {
            try await self.dropWhatIsLeft()
            let name = Self.name(template.name)
            try await self.makeEmpty(name)
            try await template.prepare(self.string(for: name))
            // Citus itself keeps connections to each of its databases, and one that is in use can't be copied.
            for node in try await self.all() {
                let connection = try await self.connect(node)
                try await connection.execute("ALTER DATABASE \(unescaped: name) ALLOW_CONNECTIONS false")
                while try await !connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(name)"
                ).isEmpty {}
            }
            return name
        }
        templates[template.name] = making
        return try await making.value
    }

    /// Drops the databases of test processes that have ended.
    private func dropWhatIsLeft() async throws {
        for node in try await all() {
            let connection = try await connect(node)
            for row in try await connection.execute(
                "SELECT datname::text FROM pg_database WHERE datname LIKE 'trolley\\_test\\_%'")
            {
                let name = try row.decode(String.self, at: 0)
                guard let process = name.split(separator: "_").dropFirst(2).first.flatMap({ Int32($0) }),
                    process != ProcessInfo.processInfo.processIdentifier, kill(process, 0) != 0
                else { continue }
                try await drop(name, on: node)
            }
        }
    }

    private func string(for database: String) -> String {
        var url = url
        url.path = "/\(database)"
        return url.string ?? ""
    }

    /// - Parameter node: nil: the one of the URL.
    private func connect(_ node: Node?, to database: String = "postgres") async throws -> Connection {
        var url = url
        url.path = "/\(database)"
        if let node {
            url.host = node.host
            url.port = node.port
        }
        return try await Connection.connect(.patient(url.string ?? ""))
    }
}
