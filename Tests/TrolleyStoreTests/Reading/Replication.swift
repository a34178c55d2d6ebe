import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

/// A primary and its standby, controlled by a test.
struct Replication {
    let primary: Pool
    let standby: Pool

    func pause() async throws {
        try await standby.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_pause()::text") }
        // The pause is only requested at first.
        try await untilTrue("pg_get_wal_replay_pause_state() = 'paused'", on: standby)
    }

    func resume() async throws {
        try await standby.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_resume()::text") }
    }

    /// Returns when the standby has replayed all that the primary has written.
    func catchUp() async throws {
        // Committed changes, even if they are not written yet.
        let written = try await ask("SELECT pg_current_wal_insert_lsn()::text", on: primary)
        try await untilTrue("pg_last_wal_replay_lsn() >= '\(written)'::pg_lsn", on: standby)
    }

    /// From now on the primary shows a commit only when the standby of this name has confirmed it. There is no such
    /// standby, so the primary shows only commits that don't wait. With an empty name no commit waits, and the waiting
    /// ones become visible.
    func waitForStandby(_ name: String) async throws {
        try await reload("synchronous_standby_names", as: name)
        // Commits use the value that the checkpointer has published, and the postmaster signals sessions before it. When
        // sessions have heard of another reload, the checkpointer was told of this one. It reads its settings before a
        // checkpoint.
        let unrelated = try #require(Int(try await ask("SHOW geqo_pool_size", on: primary)))
        try await reload("geqo_pool_size", as: "\(unrelated + 1)")
        _ = try await primary.withConnection { try await $0.execute("CHECKPOINT") }
        if name.isEmpty {
            try await untilTrue(
                "NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')", on: primary)
        }
    }

    /// Returns when the standby shows more of a list.
    func waitUntilReplayed(
        _ list: ListID, beyond head: SequenceNumber, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await untilTrue(
            "EXISTS (SELECT FROM list WHERE id = '\(list)' AND head > \(head.rawValue))", on: standby,
            sourceLocation: sourceLocation)
    }

    /// The same database, whose commits wait for no standby.
    func withoutWaiting(_ test: TestStore) async throws -> TestStore {
        var configuration = primary.configuration
        configuration.sessionSettings["synchronous_commit"] = "local"
        let pool = Pool(configuration, options: .patient(4))
        return TestStore(store: Store(pool: pool), pool: pool)
    }

    /// Returns when sessions have a setting.
    private func reload(_ setting: String, as value: String) async throws {
        try await primary.withConnection { connection in
            _ = try await connection.execute(Query(unescaped: "ALTER SYSTEM SET \(setting) = '\(value)'"))
            _ = try await connection.execute("SELECT pg_reload_conf()::text")
        }
        try await untilTrue("current_setting('\(setting)') = '\(value)'", on: primary)
    }

    /// Returns when a condition in SQL holds on a server.
    private func untilTrue(
        _ condition: String, on pool: Pool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("\(condition)", sourceLocation: sourceLocation) {
            try await ask("SELECT (\(condition))::text", on: pool) == "true"
        }
    }

    private func ask(_ sql: String, on pool: Pool) async throws -> String {
        try await pool.withConnection { connection in
            try await connection.execute(Query(unescaped: sql))[0].decode(String.self, at: 0)
        }
    }
}
