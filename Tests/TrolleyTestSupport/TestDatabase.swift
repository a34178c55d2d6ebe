package import TrolleyPostgres

/// Calls `body` with the URL of a database of its own, which is gone afterwards. Tests run in parallel, each in its own.
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

/// All tests start at once. More databases than this at a time only make each of them wait longer, and time out.
private let gate = Gate(places: TestNodes.shared == nil ? 12 : 4)

/// Contents that many test databases start with, made once a process: a migrated schema.
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

/// Databases on this test process's own server, which starts when the first one is wanted; or, where `TROLLEY_CITUS_URL` is set, over
/// the nodes of that cluster.
package enum TestDatabase {
    /// The libpq URL of a new database. It is gone with the process.
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
    /// For what tests wait for however long it takes: a copy of a database, on a machine that is busy building, can take longer
    /// than anybody would wait for a service.
    package static func patient(_ url: String) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url)
        configuration.connectTimeout = .seconds(120)
        configuration.statementTimeout = .seconds(300)
        return configuration
    }
}
