import TrolleyPostgres

/// SQL about the database server.
enum DoctorSQL {
    /// Settings by name. Those that this role may not see have no row.
    static let settings = Statement(
        name: "doctor_settings", sql: "SELECT name, setting FROM pg_settings WHERE name = ANY ($1)")

    /// The server's clock, whether it accepts writes, and whether it runs on this machine (a Unix socket has no
    /// address).
    static let server = Statement(
        name: "doctor_server",
        sql: """
            SELECT
                clock_timestamp(), pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
                inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr(),
                pg_database_size(current_database())
            """)

    static let connections = Statement(
        name: "doctor_connections",
        sql: """
            SELECT
                current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
                (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
            """)

    /// Tables with many dead rows, the worst first.
    static let deadRows = Statement(
        name: "doctor_dead_rows",
        sql: """
            SELECT relname, n_dead_tup, n_live_tup
            FROM pg_stat_user_tables
            WHERE n_dead_tup > 10000 AND n_dead_tup > n_live_tup / 2
            ORDER BY n_dead_tup DESC
            LIMIT 5
            """)

    /// How many lists have waited for compression since before $1, and since when the first has.
    static let backlog = Statement(
        name: "doctor_backlog",
        sql: """
            SELECT count(*), min(uncompressed_since)
            FROM list
            WHERE uncompressed_since < $1 AND deleted_at IS NULL
            """)

    /// The push subscriptions and webhooks; notices that were given up; notices that have been due for long, and since
    /// when.
    static let outbox = Statement(
        name: "doctor_outbox",
        sql: """
            SELECT
                (SELECT count(*) FROM push_target), count(*) FILTER (WHERE dead_at IS NOT NULL),
                count(*) FILTER (WHERE dead_at IS NULL AND due_at < now() - interval '15 minutes'),
                min(due_at) FILTER (WHERE dead_at IS NULL AND due_at < now() - interval '15 minutes')
            FROM push_delivery
            """)

    static let epoch = Statement(name: "doctor_epoch", sql: "SELECT epoch::text FROM service")

    static let notify = Statement(name: "doctor_notify", sql: "SELECT pg_notify($1, '')")

    static let all = [settings, server, connections, deadRows, backlog, outbox, epoch, notify]
}
