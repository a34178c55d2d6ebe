import Testing
import TrolleyJournal
import TrolleyPostgres

@testable import TrolleyStore

/// A primary and its standby, controlled by a test.
struct Replication {
    let primary: Pool
    let standby: Pool

    func pause() async throws {
        try await standby.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_pause()::text") }
        // The pause is only requested at first.
        while try await ask("SELECT pg_get_wal_replay_pause_state()", on: standby) != "paused" {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func resume() async throws {
        try await standby.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_resume()::text") }
    }

    /// Returns when the standby has replayed all that the primary has written.
    func catchUp() async throws {
        // Committed changes, even if they are not written yet.
        let written = try await ask("SELECT pg_current_wal_insert_lsn()::text", on: primary)
        let sql = "SELECT (pg_last_wal_replay_lsn() >= '\(written)'::pg_lsn)::text"
        while try await ask(sql, on: standby) != "true" { try await Task.sleep(for: .milliseconds(10)) }
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
        let waiting = "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while name.isEmpty, try await ask(waiting, on: primary) != "0" { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Returns when the standby shows more of a list.
    func waitUntilReplayed(_ list: ListID, beyond head: SequenceNumber) async throws {
        let sql = "SELECT (head > \(head.rawValue))::text FROM list WHERE id = '\(list)'"
        while try await ask(sql, on: standby) != "true" { try await Task.sleep(for: .milliseconds(10)) }
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
        while try await ask("SHOW \(setting)", on: primary) != value { try await Task.sleep(for: .milliseconds(10)) }
    }

    private func ask(_ sql: String, on pool: Pool) async throws -> String {
        try await pool.withConnection { connection in
            try await connection.execute(Query(unescaped: sql))[0].decode(String.self, at: 0)
        }
    }
}
