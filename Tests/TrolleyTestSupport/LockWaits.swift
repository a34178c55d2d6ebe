public import TrolleyPostgres

extension Connection {
    /// Returns when somebody waits for a lock in this connection's database. The server's locks are those of all databases, those
    /// of the tests beside this one included; so whoever waits is known by another lock, which says its database.
    public func untilSomebodyWaits() async throws {
        while try await execute(
            """
            SELECT
            FROM pg_locks AS wanted
            JOIN pg_locks AS other USING (pid)
            WHERE NOT wanted.granted
                AND other.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            LIMIT 1
            """
        ).isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    }
}
