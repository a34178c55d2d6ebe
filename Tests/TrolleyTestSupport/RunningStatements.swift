package import Testing
package import TrolleyPostgres

extension Connection {
    /// Returns when another session of this connection's database executes a statement that contains `text`.
    package func untilSomebodyExecutes(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let running: Query = """
            SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'
                AND position(\(text) IN query) > 0
            """
        try await eventually("a session executes '\(text)'", sourceLocation: sourceLocation) {
            // A transaction sees the activity as at its first look.
            try await execute("SELECT pg_stat_clear_snapshot()")
            return try await !execute(running).isEmpty
        }
    }

    /// Returns when the server process of a connection has ended.
    package func untilEnded(_ process: Int32, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let session: Query = "SELECT FROM pg_stat_activity WHERE pid = \(process)"
        try await eventually("process \(process) has ended", sourceLocation: sourceLocation) {
            try await execute("SELECT pg_stat_clear_snapshot()")
            return try await execute(session).isEmpty
        }
    }
}
