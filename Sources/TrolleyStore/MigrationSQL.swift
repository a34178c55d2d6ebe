import TrolleyPostgres

/// SQL about the schema's own history.
enum MigrationSQL {
    // "trolley", as a number. Whoever migrates holds it until their transaction ends.
    static let lock = Statement(name: "migration_lock", sql: "SELECT pg_advisory_xact_lock(32765988437599609)")

    /// Not a statement of the store's: it runs before there is a schema.
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

    static let all = [lock, tableExists, applied, record]
}
