package import TrolleyPostgres

extension Store {
    /// The connection settings for a store or a ``Migrator``.
    /// - Parameter url: a libpq URL or keywords.
    /// - Throws: `PostgresError` of the kind `configuration`, when libpq can't read it.
    package static func configuration(_ url: String) throws(PostgresError) -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url)
        configuration.sessionSettings = sessionSettings
        configuration.settingsWithExtension = ["citus": settingsOnCitus]
        configuration.optionalSettings = connectionSettings
        configuration.transactionSettings = timeouts
        configuration.transactionSettingsWithExtension = ["citus": transactionSettingsOnCitus]
        return configuration
    }

    // Statements are constants and are planned once, because planning anew for each bound array costs more than running
    // most of them. A cached plan may be made while tables are still empty and must be good when they are full. So
    // plans use indexes and nested loops, even where that is not the fastest (`docs/decisions/1501`).
    static let sessionSettings = [
        "plan_cache_mode": "force_generic_plan",
        "enable_seqscan": "off",
        "enable_hashjoin": "off",
        "enable_mergejoin": "off",
        // Memoize would keep a copy of each list's rows, in case another list has the same id.
        "enable_memoize": "off",
        // The cost of a plan that must scan a table (`service` has one row and no index to use) is high, which makes
        // PostgreSQL compile the statement at each execution: a second for a statement of a millisecond.
        "jit": "off",
        // A statement that follows a lock must see everything that was committed before the lock was taken.
        "default_transaction_isolation": "read committed",
    ].merging(timeouts) { $1 }

    // How long a lock delays others, also when this process is frozen or its host has vanished (`docs/decisions/2711`).
    // Migrations switch them off (`MigrationSQL.migrationSettings`).
    static let timeouts = [
        // No transaction waits for a client or for another service, so a longer pause means that the process is gone.
        // PostgreSQL then ends the session, and so releases its locks.
        "idle_in_transaction_session_timeout": "20s",
        // After this process's own time-out (`PostgresConfiguration.statementTimeout`), which can name the statement.
        "statement_timeout": "40s",
        "lock_timeout": lockTimeout,
    ]

    /// The longest wait for a lock; then the answer is `zoneBusy`.
    static let lockTimeout = "5s"

    // The server's side of the connection; this process's side is in `PostgresConfiguration.parameters(for:)`. The
    // server finds out that the host has vanished within 20 s, also while it runs a statement. On a Unix socket they
    // have no effect, and not every platform can watch a connection.
    static let connectionSettings = [
        "client_connection_check_interval": "10s",
        "tcp_keepalives_idle": "10",
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "2",
        "tcp_user_timeout": "15s",
    ]
}
