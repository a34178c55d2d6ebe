import TrolleyPostgres

/// SQL for the service's diagnostics. Without a filter it reads the worst devices and lists.
enum DiagnosticsSQL {
    static let server = Statement(
        name: "diagnostics_server",
        sql: "SELECT clock_timestamp(), current_setting('server_version'), epoch::text FROM service")

    static let accountByEmail = Statement(
        name: "diagnostics_account_by_email", sql: "SELECT id FROM account WHERE email_key = $1")

    static let totals = Statement(
        name: "diagnostics_totals",
        sql: """
            SELECT
                (SELECT count(*) FROM account), (SELECT count(*) FROM device WHERE token_hash IS NOT NULL),
                (SELECT count(*) FROM list WHERE deleted_at IS NULL),
                (SELECT nullif(reltuples, -1)::bigint FROM pg_class WHERE oid = 'entry'::regclass),
                pg_database_size(current_database())
            """)

    static let accounts = Statement(
        name: "diagnostics_accounts",
        sql: "SELECT id, created_at, email, name FROM account WHERE id = ANY ($1) ORDER BY created_at, id")

    private static let deviceColumns = """
        device.id, device.account_id, device.name, device.created_at, device.last_seen_at,
        device.token_hash IS NOT NULL, said.reported_at, said.positions::text, said.report::text
        """

    /// The devices of accounts, including recently signed-out ones; the most recently used first.
    static let devices = Statement(
        name: "diagnostics_devices",
        sql: """
            SELECT \(deviceColumns)
            FROM device
            LEFT JOIN device_report AS said ON said.device_id = device.id
            WHERE device.account_id = ANY ($1)
                AND (device.token_hash IS NOT NULL OR device.last_seen_at > now() - interval '30 days')
            ORDER BY device.last_seen_at DESC, device.id
            LIMIT $2
            """)

    /// The devices on which a change has waited longest to be sent. The wait is limited to ten years: an old report may
    /// contain an age that leads out of the range of times.
    static let worstDevices = Statement(
        name: "diagnostics_worst_devices",
        sql: """
            SELECT \(deviceColumns)
            FROM device_report AS said
            JOIN device ON device.id = said.device_id
            WHERE device.token_hash IS NOT NULL AND said.report ->> 'oldestAge' IS NOT NULL
            ORDER BY
                said.reported_at
                    - least((said.report ->> 'oldestAge')::numeric, 315360000000)::bigint * interval '1 millisecond'
            LIMIT $1
            """)

    // The lists of an account. Each is then read separately (``list``) with its id as a bind, so that Citus asks only
    // its node.
    static let listsOfAccount = Statement(
        name: "diagnostics_lists_of_account",
        sql: """
            SELECT list.id
            FROM list
            JOIN member ON member.list_id = list.id
            WHERE member.account_id = $1 AND list.deleted_at IS NULL
            ORDER BY list.created_at, list.id
            LIMIT $2
            """)

    /// The lists with the highest heads.
    static let longestLists = Statement(
        name: "diagnostics_longest_lists",
        sql: "SELECT id FROM list WHERE deleted_at IS NULL ORDER BY head DESC, id LIMIT $1")

    static let list = Statement(
        name: "diagnostics_list",
        sql: """
            SELECT
                list.id, list.head, list.created_at, list.compressed_until, list.uncompressed_since,
                (SELECT count(*) FROM entry WHERE entry.list_id = $1),
                (SELECT count(*) FROM archived_id WHERE archived_id.list_id = $1)
            FROM list
            WHERE list.id = $1 AND list.deleted_at IS NULL
            """)

    static let members = Statement(
        name: "diagnostics_members",
        sql: """
            SELECT list_id, account_id, role, permission, joined_at
            FROM member
            WHERE list_id = ANY ($1)
            ORDER BY joined_at, account_id
            """)

    static let invitations = Statement(
        name: "diagnostics_invitations",
        sql: """
            SELECT list_id, email_key, permission, created_at, expires_at, accepted_by IS NOT NULL
            FROM invitation
            WHERE list_id = ANY ($1)
            ORDER BY created_at
            LIMIT $2
            """)

    // Several services add to the same row.
    static let addTimes = Statement(
        name: "diagnostics_add_times",
        sql: """
            INSERT INTO statement_time AS known (name, calls, total_microseconds, longest_microseconds)
            SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
            ON CONFLICT (name) DO UPDATE
            SET (calls, total_microseconds, longest_microseconds, since) = (
                SELECT
                    EXCLUDED.calls + coalesce(sum(recent.calls), 0),
                    EXCLUDED.total_microseconds + coalesce(sum(recent.total_microseconds), 0),
                    greatest(EXCLUDED.longest_microseconds, max(recent.longest_microseconds)),
                    coalesce(max(recent.since), EXCLUDED.since)
                FROM (SELECT known.*) AS recent
                WHERE EXCLUDED.since - recent.since < interval '7 days')
            """)

    static let times = Statement(
        name: "diagnostics_times",
        sql: """
            SELECT
                name, calls, (total_microseconds / calls)::float8 / 1000, longest_microseconds::float8 / 1000
            FROM statement_time
            WHERE since > now() - interval '14 days'
            ORDER BY longest_microseconds DESC, name
            LIMIT 10
            """)

    static let hasStatistics = Statement(
        name: "diagnostics_has_statistics",
        sql: "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_stat_statements')")

    // Not in `all`, because the view exists only with the extension. PostgreSQL replaces values by placeholders in
    // these four commands only; other commands keep their values, and a password may be among them.
    static let slowest = """
        SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 120), calls, mean_exec_time, max_exec_time
        FROM pg_stat_statements
        WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND query ~* '^\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\M'
        ORDER BY mean_exec_time DESC
        LIMIT 10
        """

    static let all = [
        server, accountByEmail, totals, accounts, devices, worstDevices, listsOfAccount, longestLists, list, members,
        invitations, addTimes, times, hasStatistics,
    ]
}
