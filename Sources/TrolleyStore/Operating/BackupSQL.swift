public import TrolleyPostgres

/// SQL for backups and restores. They cover everything in the schema `public` that belongs to no extension.
enum BackupSQL {
    static let tables = Statement(
        name: "backup_tables",
        sql: """
            SELECT count(*)
            FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
            """)

    static let all = [tables]
}

/// The database that is backed up or restored into.
public struct RestoreTarget: Sendable {
    let pool: Pool

    public init(pool: Pool) { self.pool = pool }

    /// The server's major version.
    public var serverVersion: Int {
        get async throws {
            try await pool.withConnection { try await $0.serverVersion / 10_000 }
        }
    }

    /// How many tables there are. A database without any is empty.
    public var tables: Int {
        get async throws {
            try await pool.withConnection { connection in
                Int(try await connection.execute(BackupSQL.tables)[0].decode(Int64.self, at: 0))
            }
        }
    }

    /// Empties the database, within the caller's transaction. Other sessions wait until that ends.
    public static let emptying = """
        SET LOCAL lock_timeout = '30s';
        SET LOCAL statement_timeout = 0;
        DO $$
        DECLARE
            command text;
        BEGIN
            FOR command IN
                SELECT format('DROP %s IF EXISTS %s CASCADE', kind, name)
                FROM (
                    SELECT
                        CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                            ELSE 'TABLE' END AS kind,
                        oid::regclass::text AS name, oid, 1 AS turn
                    FROM pg_class
                    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
                        AND NOT relispartition
                    UNION ALL
                    SELECT 'ROUTINE', oid::regprocedure::text, oid, 2
                    FROM pg_proc
                    WHERE pronamespace = 'public'::regnamespace
                    UNION ALL
                    SELECT 'TYPE', oid::regtype::text, oid, 3
                    FROM pg_type
                    WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
                ) AS object
                WHERE NOT EXISTS (SELECT FROM pg_depend WHERE objid = object.oid AND deptype = 'e')
                ORDER BY turn, name
            LOOP
                EXECUTE command;
            END LOOP;
        END
        $$;
        """
}
