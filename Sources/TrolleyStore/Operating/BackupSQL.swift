package import TrolleyPostgres

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

    /// Sessions that services have on this database, without the caller's, by application name ($1).
    static let services = Statement(
        name: "backup_services",
        sql: """
            SELECT count(*)
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()
            """)

    /// The number of devices that are signed in.
    static let sessions = Statement(
        name: "backup_sessions", sql: "SELECT count(*) FROM device WHERE token_hash IS NOT NULL")

    static let all = [tables, services, sessions]
}

/// A database to back up or to restore into.
package struct RestoreTarget: Sendable {
    let pool: Pool

    package init(pool: Pool) { self.pool = pool }

    /// The server's major version.
    package var serverVersion: Int {
        get async throws {
            try await pool.withConnection { try await $0.serverVersion / 10_000 }
        }
    }

    /// The number of tables. A database without tables is empty.
    package var tables: Int {
        get async throws {
            try await pool.withConnection { connection in
                Int(try await connection.execute(BackupSQL.tables)[0].decode(Int64.self, at: 0))
            }
        }
    }

    /// The number of sessions that services have on the database, without this one.
    package var services: Int {
        get async throws {
            let name = pool.configuration.applicationName
            return try await pool.withConnection { connection in
                Int(try await connection.execute(BackupSQL.services, [name])[0].decode(Int64.self, at: 0))
            }
        }
    }

    /// The number of devices that are signed in.
    package var sessions: Int {
        get async throws {
            try await pool.withConnection { connection in
                Int(try await connection.execute(BackupSQL.sessions)[0].decode(Int64.self, at: 0))
            }
        }
    }

    /// Removes people and invitations of lists that a backup lacks, within the caller's transaction, before constraints
    /// exist. On a Citus cluster, `pg_dump` reads each of the lists' tables at a different moment. Other backups have
    /// no such rows.
    package static let mending = """
        DO $$
        DECLARE
            name text;
        BEGIN
            FOREACH name IN ARRAY ARRAY['member', 'invitation', 'departure'] LOOP
                IF to_regclass('public.' || name) IS NOT NULL THEN
                    EXECUTE format(
                        'DELETE FROM public.%I AS orphan
                        WHERE NOT EXISTS (SELECT FROM public.list WHERE list.id = orphan.list_id)', name);
                END IF;
            END LOOP;
        END
        $$;
        """

    /// Begins a new epoch within the caller's transaction. So nobody sees the restored data under the epoch of the
    /// backup, and a service that checks the epoch later finds the new one. A database from before migration 4 has no
    /// origin; the next check records it.
    package static let beginEpochScript = """
        SET LOCAL search_path TO public;
        DO $$
        DECLARE
            -- Made here: on a Citus cluster, no volatile function may change a reference table.
            begun uuid := gen_random_uuid();
            place text := \(EpochSQL.origin);
        BEGIN
            IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'service'::regclass AND attname = 'origin') THEN
                UPDATE service
                SET epoch = begun, epoch_began_at = now(), epoch_reason = 'declared', origin = place;
            ELSE
                UPDATE service SET epoch = begun;
            END IF;
        END
        $$;
        """

    /// Ends all sessions, and everything else that stands for a person's proof and may have been used or withdrawn since
    /// the backup: codes for passwords, addresses and signing up. In the caller's transaction, so no request sees them.
    /// A service that runs asks again for every session, because the epoch has changed. A backup of an earlier version
    /// doesn't have all of these tables.
    package static let endSessionsScript = """

        UPDATE device SET token_hash = NULL WHERE token_hash IS NOT NULL;
        DO $$
        DECLARE
            command text;
        BEGIN
            FOR command IN
                SELECT format('DELETE FROM public.%I%s', name, condition)
                FROM (VALUES
                    ('hosted_device', ''), ('presence', ''), ('push_target', ' WHERE device_id IS NOT NULL'),
                    ('password_reset', ''), ('email_code', ''), ('sign_up_code', '')) AS ended (name, condition)
                WHERE to_regclass('public.' || name) IS NOT NULL
            LOOP
                EXECUTE command;
            END LOOP;
        END
        $$;
        """

    /// Empties the database within the caller's transaction. Other sessions wait until the transaction ends.
    package static let emptyDatabaseScript = """
        SET LOCAL lock_timeout = '30s';
        SET LOCAL statement_timeout = 0;
        DO $$
        DECLARE
            command text;
        BEGIN
            -- All tables in one command: on a Citus cluster those that stay without what they refer to would be moved first.
            FOR command IN
                SELECT format('DROP %s IF EXISTS %s CASCADE', kind, string_agg(name, ', '))
                FROM (
                    SELECT
                        CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                            ELSE 'TABLE' END AS kind,
                        oid::regclass::text AS name, oid, CASE WHEN relkind IN ('r', 'p') THEN 1 ELSE 2 END AS turn
                    FROM pg_class
                    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
                        AND NOT relispartition
                    UNION ALL
                    SELECT 'ROUTINE', oid::regprocedure::text, oid, 3
                    FROM pg_proc
                    WHERE pronamespace = 'public'::regnamespace
                    UNION ALL
                    SELECT 'TYPE', oid::regtype::text, oid, 4
                    FROM pg_type
                    WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
                ) AS object
                WHERE NOT EXISTS (SELECT FROM pg_depend WHERE objid = object.oid AND deptype = 'e')
                GROUP BY turn, kind
                ORDER BY turn, kind
            LOOP
                EXECUTE command;
            END LOOP;
        END
        $$;
        """
}
