package import Testing
package import TrolleyPostgres

extension Connection {
    /// Returns when other sessions wait for locks in this connection's database. The server's locks include those of
    /// all databases, also of parallel tests. So a waiting session is identified by another of its locks, which names
    /// its database.
    /// - Parameter count: sessions that must wait.
    package func untilSomebodyWaits(
        _ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let here: Query = """
            SELECT DISTINCT pid
            FROM pg_locks AS wanted
            JOIN pg_locks AS other USING (pid)
            WHERE NOT wanted.granted
                AND other.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        // Lock waits for rows of a distributed table appear on their node.
        let onNodes: Query = """
            SELECT DISTINCT waiting_gpid
            FROM citus_lock_waits
            WHERE waiting_gpid IN (SELECT global_pid FROM citus_stat_activity WHERE datname = current_database())
            """
        try await eventually(
            "sessions that wait for a lock", every: .milliseconds(2), sourceLocation: sourceLocation
        ) {
            let waiting = try await execute(here).count
            if waiting >= count || TestNodes.shared == nil { return waiting }
            return try await execute(onNodes).count
        } until: {
            $0 >= count
        }
    }
}
