import Logging
import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyTestSupport

/// A primary whose synchronous standby doesn't answer. PostgreSQL ends the wait of a cancelled COMMIT with success and a
/// warning: the transaction is committed there, and lost if another server takes over.
@Suite(.timeLimit(.minutes(20))) struct SynchronousReplicationTests {
    /// By then a statement's commit waits, also on a busy machine.
    private let timeout = Duration.seconds(3)

    @Test func `a commit that no standby has confirmed is no success when its time-out has passed`() async throws {
        try await withLonelyPrimary { pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withConnection { connection in
                    _ = try await connection.execute("INSERT INTO thing VALUES (1)", timeout: timeout)
                }
            }
            // There is no SQLSTATE, so the caller must find out whether the commit took effect.
            #expect(error?.kind == .statementTimedOut && error?.sqlState == nil)
            let inTransaction = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction(statementTimeout: timeout) { connection in
                    _ = try await connection.execute("INSERT INTO thing VALUES (2)")
                }
            }
            #expect(inTransaction?.kind == .statementTimedOut)
            let asScript = await #expect(throws: PostgresError.self) {
                try await pool.withConnection {
                    try await $0.run(script: "INSERT INTO thing VALUES (3)", timeout: timeout)
                }
            }
            #expect(asScript?.kind == .statementTimedOut)
            // The rows exist nevertheless, and the connection stays usable.
            let rows = try await pool.withConnection { try await $0.execute("SELECT a FROM thing ORDER BY a") }
            #expect(try rows.map { try $0.decode(Int32.self, at: 0) } == [1, 2, 3])
            // Row locks are written, too, so a retry that locks a row waits for everything written before it.
            let retry = await #expect(throws: PostgresError.self) {
                try await pool.withConnection { connection in
                    _ = try await connection.execute(
                        "SELECT a FROM thing WHERE a = 1 FOR UPDATE", timeout: timeout)
                }
            }
            #expect(retry?.kind == .statementTimedOut)
        }
    }

    @Test func `nor when an administrator has cancelled it`() async throws {
        try await withLonelyPrimary { pool in
            let insert = Task {
                try await pool.withConnection { _ = try await $0.execute("INSERT INTO thing VALUES (1)") }
            }
            let cancel: Query = """
                SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'INSERT%'
                """
            try await eventually("the waiting session is cancelled") {
                try await !pool.withConnection { try await $0.execute(cancel) }.isEmpty
            }
            let error = await #expect(throws: PostgresError.self) { try await insert.value }
            #expect(error?.kind == .connectionLost, "which says that the outcome is unknown")
        }
    }

    private func withLonelyPrimary(_ body: (Pool) async throws -> Void) async throws {
        let cluster = try await TestCluster.start()
        var configuration = try PostgresConfiguration(cluster.url)
        // Test clusters wait for no standby by default.
        configuration.sessionSettings["synchronous_commit"] = "on"
        let pool = Pool(configuration)
        do {
            try await pool.withConnection { connection in
                try await connection.run(script: "CREATE TABLE thing (a int)")
                // When a session knows the second setting, the checkpointer has been told of the first.
                for (setting, value) in [("synchronous_standby_names", "nobody"), ("geqo_pool_size", "7")] {
                    _ = try await connection.execute("ALTER SYSTEM SET \(unescaped: setting) = '\(unescaped: value)'")
                    _ = try await connection.execute("SELECT pg_reload_conf()::text")
                    try await eventually {
                        try await connection.execute("SHOW \(unescaped: setting)")[0].decode(String.self, at: 0)
                    } until: {
                        $0 == value
                    }
                }
                // Commits wait only when the checkpointer has read the setting, too, which it does before a checkpoint.
                _ = try await connection.execute("CHECKPOINT")
            }
            try await body(pool)
        } catch {
            await pool.close()
            await cluster.stop()
            throw error
        }
        await pool.close()
        await cluster.stop()
    }
}
