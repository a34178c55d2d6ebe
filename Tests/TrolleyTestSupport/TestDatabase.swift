package import TrolleyPostgres

/// Calls `body` with the URL of a new database, which is removed afterwards. Tests run in parallel, each with its own.
///
/// `template`: the database to copy; without one the database is empty.
package nonisolated(nonsending) func withTestDatabase<R>(
    _ template: TestTemplate? = nil, _ body: (String) async throws -> R
) async throws -> R {
    await gate.enter()
    do {
        let url = try await TestDatabase.make(template)
        let answer: R
        do {
            answer = try await body(url)
        } catch {
            try? await TestDatabase.drop(url)
            throw error
        }
        try await TestDatabase.drop(url)
        await gate.leave()
        return answer
    } catch {
        await gate.leave()
        throw error
    }
}

/// All tests start at once. With more databases than this at a time, each test only waits longer, and times out.
private let gate = Gate(places: TestNodes.shared == nil ? 12 : 4)

/// The initial contents of many test databases, created once per process: a migrated schema.
package struct TestTemplate: Sendable {
    /// Letters, digits and underscores.
    package let name: String
    let prepare: @Sendable (_ url: String) async throws -> Void

    /// `prepare` must close its connections.
    package init(name: String, prepare: @escaping @Sendable (_ url: String) async throws -> Void) {
        self.name = name
        self.prepare = prepare
    }
}

/// Databases on this test process's own server, which starts when the first one is requested. If `TROLLEY_CITUS_URL` is
/// set, databases over the nodes of that cluster.
package enum TestDatabase {
    /// The libpq URL of a new database. It is removed when the process ends.
    package static func make(_ template: TestTemplate? = nil) async throws -> String {
        if let nodes = TestNodes.shared { return try await nodes.makeDatabase(template) }
        return try await TestServer.shared.makeDatabase(template)
    }

    static func drop(_ url: String) async throws {
        if let nodes = TestNodes.shared { return try await nodes.dropDatabase(url) }
        try await TestServer.shared.dropDatabase(url)
    }
}

extension PostgresConfiguration {
    /// A configuration without short time-outs. On a machine that is busy building, copying a database can take longer
    /// than a person would wait for a service.
    package static func patient(_ url: String) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url)
        configuration.connectTimeout = .seconds(120)
        configuration.statementTimeout = .seconds(300)
        return configuration
    }

    /// The configuration for a test that holds a lock while something else happens. On a busy machine that takes longer
    /// than the service's own sessions may do nothing in a transaction, or wait for a lock.
    package func holdingLocks() -> PostgresConfiguration {
        var configuration = self
        configuration.sessionSettings["idle_in_transaction_session_timeout"] = "0"
        configuration.sessionSettings["lock_timeout"] = "25s"
        return configuration
    }
}
