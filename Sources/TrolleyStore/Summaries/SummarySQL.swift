import TrolleyPostgres

/// SQL about sessions that have ended, and summaries of them.
enum SummarySQL {
    /// Entries that come back from the Activity keep their old time, and a service may have been away for long. Older
    /// changes are not news.
    private static let newest = "now() - interval '7 days'"

    // As text, because the service's times have no microseconds: the next page would begin with lists of this one.
    /// Lists whose sessions must be looked at now, the longest overdue first, at most $1, after the list $3 that was due
    /// at $2.
    static let due = Statement(
        name: "summary_due",
        sql: """
            SELECT id, summary_due::text
            FROM list
            WHERE summary_due <= now() AND deleted_at IS NULL AND (summary_due, id) > ($2::text::timestamptz, $3)
            ORDER BY summary_due, id
            LIMIT $1
            """)

    // Locks the list, so that one process looks at it and no append comes in between. A list that another transaction
    // holds is looked at in the next round.
    static let lock = Statement(
        name: "summary_lock",
        sql: """
            SELECT head, clock_timestamp(), alerts_from
            FROM list
            WHERE id = $1 AND summary_due <= now() AND deleted_at IS NULL
            FOR UPDATE SKIP LOCKED
            """)

    // Before the first look at a list, `summary_due` is the time of its first append since there are summaries.
    /// The open sessions: people, the first and the last of their changes that no summary covers, and the time of the
    /// last one.
    static let sessions = Statement(
        name: "summary_sessions",
        sql: """
            SELECT entry.author_id, min(entry.sequence), max(entry.received_at), max(entry.sequence)
            FROM entry
            LEFT JOIN summary_state
                ON summary_state.list_id = $1 AND summary_state.account_id = entry.author_id
            WHERE entry.list_id = $1 AND entry.received_at > \(newest)
                AND entry.sequence > coalesce(
                    (SELECT list.summarized_through FROM list WHERE list.id = $1),
                    (
                        SELECT max(older.sequence)
                        FROM entry AS older
                        WHERE older.list_id = $1
                            AND older.received_at < (SELECT list.summary_due FROM list WHERE list.id = $1)),
                    0)
                AND entry.sequence > coalesce(summary_state.closed_through, 0)
            GROUP BY entry.author_id
            ORDER BY entry.author_id
            """)

    /// The people on the list: since when, what they want, how far they were told and have read, until when they have or
    /// had the list open, and how far they got alerts.
    static let people = Statement(
        name: "summary_people",
        sql: """
            SELECT
                member.account_id, member.joined_at, coalesce(summary_state.level, 'summaries'),
                summary_state.notified_through, read_mark.through, (
                    SELECT max(presence.until)
                    FROM presence
                    WHERE presence.list_id = $1 AND presence.account_id = member.account_id),
                summary_state.alerted_through
            FROM member
            LEFT JOIN summary_state
                ON summary_state.list_id = $1 AND summary_state.account_id = member.account_id
            LEFT JOIN read_mark ON read_mark.list_id = $1 AND read_mark.account_id = member.account_id
            WHERE member.list_id = $1
            ORDER BY member.account_id
            """)

    /// The changes after $2 with the messages that they write or delete, at most $3 of them, the newest first.
    static let changes = Statement(
        name: "summary_changes",
        sql: """
            SELECT
                sequence, received_at, author_id, operation, item_id,
                CASE operation WHEN 'message' THEN entry_id::text WHEN 'deleteMessage' THEN fields ->> 'message' END
            FROM entry
            WHERE list_id = $1 AND sequence > $2 AND received_at > \(newest)
            ORDER BY sequence DESC
            LIMIT $3
            """)

    static let reschedule = Statement(
        name: "summary_reschedule",
        sql: "UPDATE list SET summary_due = $2, summarized_through = $3, alerts_from = $4 WHERE id = $1")

    // Takes a column from the list's row, as ``EventSQL/insert`` does.
    static let close = Statement(
        name: "summary_close",
        sql: """
            INSERT INTO summary_state (list_id, account_id, closed_through)
            SELECT list.id, closed.account_id, closed.through
            FROM list
            CROSS JOIN unnest($2::uuid[], $3::bigint[]) AS closed (account_id, through)
            WHERE list.id = $1
            ON CONFLICT (list_id, account_id) DO UPDATE SET closed_through = EXCLUDED.closed_through
            """)

    static let noteNotified = Statement(
        name: "summary_note_notified",
        sql: """
            INSERT INTO summary_state (list_id, account_id, notified_through)
            SELECT list.id, told.account_id, list.head
            FROM list
            CROSS JOIN unnest($2::uuid[]) AS told (account_id)
            WHERE list.id = $1
            ON CONFLICT (list_id, account_id) DO UPDATE SET notified_through = EXCLUDED.notified_through
            """)

    static let noteAlerted = Statement(
        name: "summary_note_alerted",
        sql: """
            INSERT INTO summary_state (list_id, account_id, alerted_through)
            SELECT list.id, told.account_id, list.head
            FROM list
            CROSS JOIN unnest($2::uuid[]) AS told (account_id)
            WHERE list.id = $1
            ON CONFLICT (list_id, account_id) DO UPDATE SET alerted_through = EXCLUDED.alerted_through
            """)

    static let insert = Statement(
        name: "summary_insert",
        sql: """
            INSERT INTO summary (list_id, account_id, after, through, content)
            SELECT list.id, told.account_id, told.after, list.head, told.content
            FROM list
            CROSS JOIN unnest($2::uuid[], $3::bigint[], $4::json[]) AS told (account_id, after, content)
            WHERE list.id = $1
            """)

    /// Deletes summaries that have been read, and of each person's all but the newest 50.
    static let trim = Statement(
        name: "summary_trim",
        sql: """
            DELETE FROM summary
            WHERE summary.list_id = $1 AND (summary.account_id, summary.through) IN (
                SELECT placed.account_id, placed.through
                FROM (
                    SELECT
                        each.account_id, each.through,
                        row_number() OVER (PARTITION BY each.account_id ORDER BY each.through DESC) AS place
                    FROM summary AS each
                    WHERE each.list_id = $1
                ) AS placed
                LEFT JOIN read_mark ON read_mark.list_id = $1 AND read_mark.account_id = placed.account_id
                WHERE placed.place > 50 OR placed.through <= read_mark.through)
            """)

    // A session may end earlier than planned: somebody left, or has just opened the list for a while.
    /// Looks at the list's sessions $2 milliseconds from now at the latest, if there are any. With $3 it waits for a look that is
    /// under way, whatever was planned before. Never later: before the first look, what is planned is the first append's time.
    static let hasten = Statement(
        name: "summary_hasten",
        sql: """
            UPDATE list
            SET summary_due = least(summary_due, now() + $2::bigint * interval '1 millisecond')
            WHERE id = $1 AND (
                summary_due > now() + $2::bigint * interval '1 millisecond' OR $3::boolean AND summary_due IS NOT NULL)
            RETURNING true
            """)

    /// Milliseconds until the next look that is planned.
    static let next = Statement(
        name: "summary_next",
        sql: """
            SELECT ceil(extract(epoch FROM min(summary_due) - clock_timestamp()) * 1000)::bigint
            FROM list
            WHERE summary_due IS NOT NULL AND deleted_at IS NULL
            """)

    /// An account's unread summaries of the lists that it is on, newest first, at most $2.
    static let ofAccount = Statement(
        name: "summary_of_account",
        sql: """
            SELECT summary.list_id, summary.after, summary.through, summary.made_at, summary.content::text
            FROM summary
            JOIN member ON member.list_id = summary.list_id AND member.account_id = summary.account_id
            LEFT JOIN read_mark
                ON read_mark.list_id = summary.list_id AND read_mark.account_id = summary.account_id
            LEFT JOIN summary_state
                ON summary_state.list_id = summary.list_id AND summary_state.account_id = summary.account_id
            WHERE summary.account_id = $1 AND summary.through > coalesce(read_mark.through, 0)
                AND summary.made_at >= member.joined_at
                AND coalesce(summary_state.level, 'summaries') <> 'nothing'
            ORDER BY summary.made_at DESC, summary.list_id
            LIMIT $2
            """)

    static let names = Statement(
        name: "summary_names", sql: "SELECT id, name FROM account WHERE id = ANY ($1)")

    static let level = Statement(
        name: "summary_level",
        sql: """
            SELECT coalesce(summary_state.level, 'summaries')
            FROM member
            JOIN list ON list.id = $1 AND list.deleted_at IS NULL
            LEFT JOIN summary_state ON summary_state.list_id = $1 AND summary_state.account_id = $2
            WHERE member.list_id = $1 AND member.account_id = $2
            """)

    /// What an account has chosen for the lists that it is on.
    static let levels = Statement(
        name: "summary_levels",
        sql: """
            SELECT summary_state.list_id, summary_state.level
            FROM summary_state
            JOIN member ON member.list_id = summary_state.list_id AND member.account_id = summary_state.account_id
            WHERE summary_state.account_id = $1
            ORDER BY summary_state.list_id
            """)

    static let insertState = Statement(
        name: "summary_insert_state",
        sql: """
            INSERT INTO summary_state (list_id, account_id)
            SELECT member.list_id, member.account_id
            FROM member
            JOIN list ON list.id = $1 AND list.deleted_at IS NULL
            WHERE member.list_id = $1 AND member.account_id = $2
            ON CONFLICT (list_id, account_id) DO NOTHING
            """)

    // A person who had chosen no summaries gets those of later changes only.
    static let setLevel = Statement(
        name: "summary_set_level",
        sql: """
            UPDATE summary_state
            SET level = $3,
                notified_through = CASE
                    WHEN summary_state.level = 'nothing' THEN list.head ELSE summary_state.notified_through END
            FROM list
            JOIN member ON member.list_id = $1 AND member.account_id = $2
            WHERE summary_state.list_id = $1 AND summary_state.account_id = $2
                AND list.id = $1 AND list.deleted_at IS NULL
            RETURNING summary_state.level
            """)

    /// Begins alerts on a list whose lock is held, because a person has asked for them: a look that finds nobody with alerts
    /// may be about to end them.
    static let beginAlerts = Statement(
        name: "summary_begin_alerts", sql: "UPDATE list SET alerts_from = now() WHERE id = $1 AND alerts_from IS NULL")

    /// Lists without alerts, on which an account has asked for alerts.
    static let withoutAlerts = Statement(
        name: "summary_without_alerts",
        sql: """
            SELECT list.id
            FROM summary_state
            JOIN member ON member.list_id = summary_state.list_id AND member.account_id = summary_state.account_id
            JOIN list ON list.id = summary_state.list_id
            WHERE summary_state.account_id = $1 AND summary_state.level = 'all' AND list.alerts_from IS NULL
                AND list.deleted_at IS NULL
            """)

    static let deleteExpired = Statement(
        name: "summary_delete_expired", sql: "DELETE FROM summary WHERE made_at < now() - interval '14 days'")

    static let deleteOfList = Statement(
        name: "summary_delete_of_list", sql: "DELETE FROM summary WHERE list_id = $1")

    static let deleteStatesOfList = Statement(
        name: "summary_state_delete_of_list", sql: "DELETE FROM summary_state WHERE list_id = $1")

    static let deleteOfAccount = Statement(
        name: "summary_delete_of_account", sql: "DELETE FROM summary WHERE account_id = $1")

    static let deleteStatesOfAccount = Statement(
        name: "summary_state_delete_of_account", sql: "DELETE FROM summary_state WHERE account_id = $1")

    static let all = [
        due, next, lock, sessions, people, changes, reschedule, close, noteNotified, noteAlerted, insert, trim, hasten,
        ofAccount, names, level, insertState, setLevel, beginAlerts, withoutAlerts, levels, deleteExpired, deleteOfList,
        deleteStatesOfList, deleteOfAccount,
        deleteStatesOfAccount,
    ]
}
