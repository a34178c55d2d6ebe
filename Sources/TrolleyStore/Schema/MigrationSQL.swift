import TrolleyPostgres

/// SQL about applied migrations.
enum MigrationSQL {
    // "trolley", as a number. A migrating process holds it until its transaction ends. Nobody waits for it in a statement: an
    // index that is built without locking its table would wait for that statement.
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
            applied_at timestamptz NOT NULL DEFAULT now(),
            -- The oldest migration that a program must know to run after this one. Null: this one.
            runs_with integer
        )
        """

    /// For tables from before there was the column.
    static let addRunsWith = "ALTER TABLE migration ADD COLUMN runs_with integer"

    static let hasRunsWith = Statement(
        name: "migration_has_runs_with",
        sql: """
            SELECT EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = 'migration'::regclass AND attname = 'runs_with')
            """)

    /// The indexes whose building was interrupted.
    static let invalidIndexes = Statement(
        name: "migration_invalid_indexes",
        sql: """
            SELECT pg_class.relname::text
            FROM pg_index
            JOIN pg_class ON pg_class.oid = pg_index.indexrelid
            WHERE NOT pg_index.indisvalid AND pg_class.relnamespace = current_schema()::regnamespace
            """)

    static let tableExists = Statement(
        name: "migration_table_exists", sql: "SELECT to_regclass('migration') IS NOT NULL")

    // The last column is missing in a database that no program since migration 27 has migrated.
    static let applied = Statement(
        name: "migration_applied",
        sql: """
            SELECT version, name, checksum, applied_at, coalesce((to_jsonb(migration) ->> 'runs_with')::integer, version)
            FROM migration
            ORDER BY version
            """)

    static let record = Statement(
        name: "migration_record",
        sql: "INSERT INTO migration (version, name, checksum, runs_with) VALUES ($1, $2, $3, $4)")

    static let all = [tryLock, progress, tableExists, hasRunsWith, invalidIndexes, applied, record]
}

extension MigrationSQL {
    // A migration has no time limits, even where the server or the role sets them. The bounds of partitions are times that
    // PostgreSQL formats and parses again.
    /// - Parameter lockTimeout: how long to wait for a table's lock. The services' statements queue behind that wait.
    static func migrationSettings(lockTimeout: String = "0") -> [String] {
        [
            "statement_timeout = 0", "lock_timeout = '\(lockTimeout)'", "idle_in_transaction_session_timeout = 0",
            "datestyle = 'ISO, YMD'", "timezone = 'UTC'",
        ].map { "SET LOCAL \($0)" } + defaultPlannerSettings
    }

    // Restores the planner's defaults: a migration reads and writes whole tables.
    private static let defaultPlannerSettings = Store.sessionSettings.keys
        .filter { $0.hasPrefix("enable_") || $0 == "plan_cache_mode" }.sorted().map { "SET LOCAL \($0) TO DEFAULT" }
}
