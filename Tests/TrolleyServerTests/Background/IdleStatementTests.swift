import Logging
import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

@testable import TrolleyServer

/// `Benchmarks/background` counts what an idle service with many devices asks its database.
@Suite("What an idle service asks its database", .timeLimit(.minutes(20)))
struct IdleStatementTests {
    @Test("two idle processes ask nothing for seconds but who leads, and whether LISTEN works")
    func idle() async throws {
        try await withCountedStatements { url in
            try await TestService.with(try TestService.patientPool(url), isOneOfSeveral: true) { one in
                try await TestService.with(try TestService.patientPool(url), isOneOfSeveral: true) { other in
                    try await eventually("a process leads") {
                        one.service.leadership.isLeading || other.service.leadership.isLeading
                    }
                    var last = try await one.statements()
                    // Each process tries to lead every three seconds, so this is a pause of at least as long.
                    try await eventually("nothing else is asked between four tries", every: .milliseconds(250)) {
                        let now = try await one.statements()
                        if now.others != last.others { last = now }
                        return now.tries >= last.tries + 4
                    }
                }
            }
        }
    }

    /// Runs `body` with the URL of a migrated database whose statements PostgreSQL counts.
    private func withCountedStatements(_ body: (String) async throws -> Void) async throws {
        var configuration = ClusterConfiguration.ephemeral()
        configuration.settings["shared_preload_libraries"] = "pg_stat_statements"
        let cluster = try await Cluster.start(
            configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do {
            let pool = Pool(try Store.configuration(cluster.connectionString()))
            try await Migrator(pool: pool).migrate()
            try await pool.withConnection { connection in
                try await connection.run(script: "CREATE EXTENSION pg_stat_statements")
            }
            await pool.close()
            try await body(cluster.connectionString())
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }
}

extension TestService {
    /// How often the processes have tried to lead, and how many statements there were besides that, the probes of LISTEN
    /// and this one.
    fileprivate func statements() async throws -> (tries: Int, others: Int) {
        let rows = try await pool.withConnection { connection in
            try await connection.execute(
                """
                SELECT
                    coalesce(sum(calls) FILTER (WHERE query LIKE 'UPDATE leadership%'), 0)::bigint,
                    coalesce(sum(calls) FILTER (
                        WHERE query NOT LIKE 'UPDATE leadership%' AND query NOT LIKE '%FROM pg_notify(%'
                            AND query NOT LIKE '%pg_stat_statements%'), 0)::bigint
                FROM pg_stat_statements
                """)
        }
        return (try rows[0].decode(Int.self, at: 0), try rows[0].decode(Int.self, at: 1))
    }
}
