import TrolleyPostgres

/// SQL about presence (the people who have a list open) and read marks.
enum PresenceSQL {
    // The statement itself checks membership. The table is unlogged, because presence need not survive a crash.
    static let enter = Statement(
        name: "presence_enter",
        sql: """
            INSERT INTO presence (list_id, account_id, device_id, until, since, hail_key)
            SELECT member.list_id, member.account_id, $3, now() + $4::bigint * interval '1 millisecond', now(), $5
            FROM member
            JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
            WHERE member.list_id = $1 AND member.account_id = $2
            ON CONFLICT (list_id, account_id, device_id) DO UPDATE SET
                until = EXCLUDED.until, hail_key = EXCLUDED.hail_key,
                since = CASE WHEN presence.until > EXCLUDED.since THEN presence.since ELSE EXCLUDED.since END
            RETURNING list_id
            """)

    /// The devices that have the list open and enter rooms, of people on the list.
    static let devices = Statement(
        name: "presence_devices",
        sql: """
            SELECT presence.account_id, presence.device_id, presence.since, presence.hail_key
            FROM presence
            JOIN member ON member.list_id = presence.list_id AND member.account_id = presence.account_id
            WHERE presence.list_id = $1 AND presence.until > now() AND presence.hail_key IS NOT NULL
            ORDER BY presence.since, presence.device_id
            """)

    // The row stays for a while, because a session ends when its person has left.
    static let leave = Statement(
        name: "presence_leave",
        sql: """
            UPDATE presence
            SET until = now()
            WHERE list_id = $1 AND account_id = $2 AND device_id = $3 AND until > now()
            """)

    // A look in progress may have read the presence of a person who has just left ($3). It plans the next look when it commits.
    /// Whether the list's sessions are due earlier than planned, $2 milliseconds from now; and that time.
    static let plan = Statement(
        name: "presence_plan",
        sql: """
            SELECT
                coalesce($3::boolean AND summary_due IS NOT NULL
                    OR summary_due > now() + $2::bigint * interval '1 millisecond', false),
                clock_timestamp()
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
            """)

    static let leaveAll = Statement(name: "presence_leave_all", sql: "DELETE FROM presence WHERE device_id = $1")

    /// The people on the list who have it open.
    static let ofList = Statement(
        name: "presence_of_list",
        sql: """
            SELECT presence.account_id, max(presence.until)
            FROM presence
            JOIN member ON member.list_id = presence.list_id AND member.account_id = presence.account_id
            WHERE presence.list_id = $1 AND presence.until > now()
            GROUP BY presence.account_id
            ORDER BY presence.account_id
            """)

    /// Deletes presence that expired some minutes ago. The end of a session is recognized by the row until then.
    static let deleteExpired = Statement(
        name: "presence_delete_expired", sql: "DELETE FROM presence WHERE until <= now() - interval '5 minutes'")

    // A read mark is never beyond the list's head, so that no future change counts as read. It never goes back.
    static let read = Statement(
        name: "read_mark_advance",
        sql: """
            INSERT INTO read_mark (list_id, account_id, through)
            SELECT member.list_id, member.account_id, $3
            FROM member
            JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
            WHERE member.list_id = $1 AND member.account_id = $2 AND list.head >= $3
            ON CONFLICT (list_id, account_id) DO UPDATE SET through = greatest(read_mark.through, EXCLUDED.through)
            RETURNING through
            """)

    /// How far each person on the list has read.
    static let reads = Statement(
        name: "read_mark_of_list",
        sql: """
            SELECT read_mark.account_id, read_mark.through
            FROM read_mark
            JOIN member ON member.list_id = read_mark.list_id AND member.account_id = read_mark.account_id
            WHERE read_mark.list_id = $1
            ORDER BY read_mark.account_id
            """)

    // A device's position is the token that it sent with its last fetch, so the device has stored everything up to
    // there. Reading implies receiving.
    /// How far each person on the list has received it, on any of their signed-in devices.
    static let received = Statement(
        name: "presence_received",
        sql: """
            SELECT member.account_id, least(greatest(read_mark.through, device.position), list.head)
            FROM member
            JOIN list ON list.id = $1
            LEFT JOIN read_mark ON read_mark.list_id = $1 AND read_mark.account_id = member.account_id
            LEFT JOIN LATERAL (
                SELECT max((device_report.positions ->> $1::text)::bigint) AS position
                FROM device
                JOIN device_report ON device_report.device_id = device.id
                WHERE device.account_id = member.account_id AND device.token_hash IS NOT NULL
            ) AS device ON true
            WHERE member.list_id = $1 AND coalesce(read_mark.through, device.position) IS NOT NULL
            ORDER BY member.account_id
            """)

    static let deleteReads = Statement(
        name: "read_mark_delete_of_list", sql: "DELETE FROM read_mark WHERE list_id = $1")

    static let all = [
        enter, devices, leave, plan, leaveAll, ofList, deleteExpired, read, reads, received, deleteReads,
    ]
}
