import TrolleyPostgres

extension Pool {
    /// The rows of entries that the pool's only session reads in `body`. A session adds its counts to those of the others a
    /// second after the last time, or later. Until then they are its own.
    /// - Returns: nil when it took longer.
    func rowsRead(in body: () async throws -> Void) async throws -> Int64? {
        let begun = ContinuousClock.now
        try await withConnection { _ = try await $0.execute("SELECT pg_stat_force_next_flush()") }
        try await body()
        let rows = try await withConnection { connection in
            try await connection.execute(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0)
                FROM pg_stat_xact_user_tables
                WHERE relname = 'entry'
                """)[0].decode(Int64.self, at: 0)
        }
        return ContinuousClock.now - begun < .seconds(1) ? rows : nil
    }
}
