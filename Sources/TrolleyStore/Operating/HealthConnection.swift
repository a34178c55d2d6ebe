import TrolleyPostgres

/// A connection for health checks only. Requests can use up the pool's connections, but not this one.
actor HealthConnection {
    /// The maximum duration of a check: to connect, and then to get the answer.
    private static let limit = Duration.seconds(1)

    private let configuration: PostgresConfiguration
    private var idle: Connection?

    init(_ configuration: PostgresConfiguration) {
        var configuration = configuration
        configuration.connectTimeout = Self.limit
        configuration.cancelTimeout = Self.limit
        self.configuration = configuration
    }

    /// Whether the server refuses writes.
    func isReadOnly() async throws(PostgresError) -> Bool {
        if let idle {
            self.idle = nil
            do { return try await ask(idle) } catch {
                // The server may have closed the connection since the last check: connect again.
                if error.kind != .connectionLost { throw error }
            }
        }
        return try await ask(try await Connection.connect(configuration))
    }

    private func ask(_ connection: Connection) async throws(PostgresError) -> Bool {
        let rows = try await connection.execute(ServiceSQL.isReadOnly, timeout: Self.limit)
        let isReadOnly = try rows[0].decode(Bool.self, at: 0)
        // After a failover another server is writable, so the next check connects again.
        if !isReadOnly { idle = connection }
        return isReadOnly
    }
}

extension StoreError {
    /// The database has not answered a health check in time.
    package static var healthCheckOverdue: StoreError {
        .unavailable(PostgresError(.statementTimedOut, "the database has not answered a health check in time"))
    }
}
