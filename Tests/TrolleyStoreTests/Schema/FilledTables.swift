import TrolleyPostgres

/// Rows for every table of a migrated database, so that plans are made for tables that are full.
enum FilledTables {
    static let rowsPerTable = 8000

    /// Fills each table with random rows, in which a list has twenty rows, an account four and a device two, and analyzes it.
    /// Constraints on what a row says are dropped, because plans don't depend on them.
    static func fill(_ connection: Connection) async throws {
        // One statement makes half a million rows, in seconds or, beside other tests, in a minute. The service has no such
        // statement, so its time-outs aren't meant for it.
        try await connection.run(script: "SET statement_timeout = 0")
        try await connection.run(
            script: """
                CREATE TABLE archived_entry_filled PARTITION OF archived_entry DEFAULT;
                SET session_replication_role = replica;
                DO $$
                DECLARE
                    checks record;
                    filled record;
                BEGIN
                    FOR checks IN
                        SELECT conrelid::regclass AS of_table, conname
                        FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
                        WHERE contype = 'c' AND NOT relispartition AND relnamespace = 'public'::regnamespace
                    LOOP
                        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', checks.of_table, checks.conname);
                    END LOOP;
                    FOR filled IN
                        SELECT attrelid::regclass AS of_table,
                            string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns,
                            string_agg(
                                -- What may be missing is missing in most rows.
                                CASE WHEN attnotnull THEN '' ELSE 'CASE WHEN n % 5 = 0 THEN ' END ||
                                CASE
                                    WHEN attname = 'list_id' THEN 'md5(''list'' || n % 400)::uuid'
                                    WHEN attname = 'account_id' THEN 'md5(''account'' || (n + n / 400) % 2000)::uuid'
                                    WHEN attname = 'device_id' THEN 'md5(''device'' || n % 4000)::uuid'
                                    WHEN attname = 'role' THEN '(ARRAY[''participant'', ''owner''])[1 + (n % 20) / 19]'
                                    WHEN attname = 'change' THEN
                                        '(ARRAY[''{"type":"participants"}'', ''{"type":"discard","entries":[]}''])[1 + n % 2]::json'
                                    WHEN atttypid = 'uuid'::regtype THEN 'gen_random_uuid()'
                                    WHEN atttypid = 'bool'::regtype THEN 'n % 2 = 0'
                                    WHEN atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
                                        THEN 'n::' || format_type(atttypid, NULL)
                                    WHEN atttypid = 'timestamptz'::regtype THEN 'now() + (n - 400) * interval ''1 minute'''
                                    WHEN atttypid = 'bytea'::regtype THEN 'sha256(n::text::bytea)'
                                    WHEN atttypid IN ('json'::regtype, 'jsonb'::regtype)
                                        THEN format('''{}''::%s', format_type(atttypid, NULL))
                                    WHEN format_type(atttypid, NULL) LIKE '%[]'
                                        THEN format('''{}''::%s', format_type(atttypid, NULL))
                                    WHEN atttypid = 'text'::regtype THEN '''text '' || n'
                                    ELSE format('NULL::%s', format_type(atttypid, atttypmod))
                                END || CASE WHEN attnotnull THEN '' ELSE ' END' END, ', ' ORDER BY attnum) AS contents
                        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                            AND attnum > 0 AND NOT attisdropped AND attidentity <> 'a' AND attgenerated = ''
                            AND relname <> ALL (ARRAY['service', 'schema_migration', 'leadership'])
                        GROUP BY attrelid
                    LOOP
                        EXECUTE format(
                            'INSERT INTO %s (%s) SELECT %s FROM generate_series(1, \(rowsPerTable)) AS n ON CONFLICT DO NOTHING',
                            filled.of_table, filled.columns, filled.contents);
                    END LOOP;
                END
                $$;
                RESET session_replication_role;
                ANALYZE;
                """,
            timeout: .seconds(1200))
    }

    /// The numbers of rows, by table.
    static func counts(_ connection: Connection) async throws -> [String: Int64] {
        let rows = try await connection.execute(
            """
            SELECT relname::text, sum(greatest(reltuples, 0))::bigint
            FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            GROUP BY relname
            """)
        return try Dictionary(uniqueKeysWithValues: rows.map { try $0.decode((String, Int64).self) })
    }
}
