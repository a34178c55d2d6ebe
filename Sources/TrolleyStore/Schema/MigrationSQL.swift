import TrolleyPostgres

/// SQL about applied migrations.
enum MigrationSQL {
    // "trolley", as a number. A migrating process holds it until its transaction ends.
    static let lock = Statement(name: "migration_lock", sql: "SELECT pg_advisory_xact_lock(32765988437599609)")

    static let tryLock = Statement(
        name: "migration_try_lock", sql: "SELECT pg_try_advisory_xact_lock(32765988437599609)")

    /// The progress of the index that a server process is building, from 0 to 1; no row when it builds none.
    static let progress = Statement(
        name: "migration_progress",
        sql: """
            SELECT
                relid::regclass::text, phase,
                CASE
                    WHEN blocks_total > 0 THEN blocks_done::float8 / blocks_total
                    WHEN tuples_total > 0 THEN tuples_done::float8 / tuples_total
                END
            FROM pg_stat_progress_create_index
            WHERE pid = $1
            """)

    /// Not a statement of the store's, because it runs before there is a schema.
    static let createTable = """
        CREATE TABLE IF NOT EXISTS migration (
            version integer PRIMARY KEY,
            name text NOT NULL,
            checksum bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """

    static let tableExists = Statement(
        name: "migration_table_exists", sql: "SELECT to_regclass('migration') IS NOT NULL")

    static let applied = Statement(
        name: "migration_applied", sql: "SELECT version, name, checksum, applied_at FROM migration ORDER BY version")

    static let record = Statement(
        name: "migration_record", sql: "INSERT INTO migration (version, name, checksum) VALUES ($1, $2, $3)")

    static let all = [lock, tryLock, progress, tableExists, applied, record]
}

extension MigrationSQL {
    // A migration has no time limits, even where the server or the role sets them. The bounds of partitions are times
    // that PostgreSQL formats and parses again.
    static let migrationSettings =
        [
            "SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0",
            "SET LOCAL idle_in_transaction_session_timeout = 0", "SET LOCAL datestyle = 'ISO, YMD'",
            "SET LOCAL timezone = 'UTC'",
        ] + defaultPlannerSettings

    // Restores the planner's defaults: a migration reads and writes whole tables.
    private static let defaultPlannerSettings = Store.sessionSettings.keys
        .filter { $0.hasPrefix("enable_") || $0 == "plan_cache_mode" }.sorted().map { "SET LOCAL \($0) TO DEFAULT" }
}
