import TrolleyPostgres

/// SQL about a list's stream of changes.
enum ChangeSQL {
    /// One row a change, or one without a change for a list that has nothing new. All in one statement, so that heads
    /// and changes are of one moment.
    private static let stretch = """
        LEFT JOIN LATERAL (
            SELECT \(EntrySQL.liveColumns), NULL::json AS event
            FROM entry
            WHERE entry.list_id = list.id AND entry.sequence > wanted.after
            UNION ALL
            SELECT
                event.sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                event.received_at, event.change
            FROM event
            WHERE event.list_id = list.id AND event.sequence > wanted.after
            ORDER BY sequence
            LIMIT $3
        ) AS change ON list.head > wanted.after AND wanted.is_reached
        """

    static let ofList = Statement(
        name: "change_of_list",
        sql: """
            SELECT list.id, list.head, service.epoch, change.*, wanted.is_reached, list.trail_from
            FROM service
            CROSS JOIN (SELECT $4::bigint AS after, true AS is_reached) AS wanted
            CROSS JOIN list
            JOIN member ON member.list_id = list.id
            \(stretch)
            WHERE list.id = $2 AND member.account_id = $1 AND list.deleted_at IS NULL
            ORDER BY change.sequence
            """)

    // Lists are read in turn until those before have used the limit up: of the others only the heads are told. Without
    // that, somebody with a hundred long lists would have a hundred pages read for each that is sent.
    static let ofAccount = Statement(
        name: "change_of_account",
        sql: """
            SELECT list.id, list.head, service.epoch, change.*, wanted.is_reached, list.trail_from
            FROM service
            CROSS JOIN (
                SELECT
                    list.id, list.head, list.trail_from, list.created_at, coalesce(token.after, 0) AS after,
                    coalesce(
                        sum(greatest(list.head - coalesce(token.after, 0), 0)) OVER (
                            ORDER BY list.created_at, list.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                        0) AS used
                FROM member
                JOIN list ON list.id = member.list_id
                LEFT JOIN unnest($2::uuid[], $4::bigint[]) AS token (list_id, after) ON token.list_id = list.id
                WHERE member.account_id = $1 AND list.deleted_at IS NULL
            ) AS list
            CROSS JOIN LATERAL (SELECT list.after, list.used < $3 AS is_reached) AS wanted
            \(stretch)
            ORDER BY list.created_at, list.id, change.sequence
            """)

    /// When what stands at these places was received, wherever it is now; no row where nobody knows. A token says it too,
    /// so a place that was written anew, after a backup was restored, is told from the one that the token means.
    static let marks = Statement(
        name: "change_marks",
        sql: """
            SELECT known.list_id, entry.received_at
            FROM unnest($1::uuid[], $2::bigint[]) AS known (list_id, sequence)
            JOIN entry ON entry.list_id = known.list_id AND entry.sequence = known.sequence
            UNION ALL
            SELECT known.list_id, event.received_at
            FROM unnest($1::uuid[], $2::bigint[]) AS known (list_id, sequence)
            JOIN event ON event.list_id = known.list_id AND event.sequence = known.sequence
            UNION ALL
            SELECT known.list_id, archived_id.received_at
            FROM unnest($1::uuid[], $2::bigint[]) AS known (list_id, sequence)
            JOIN archived_id ON archived_id.list_id = known.list_id AND archived_id.sequence = known.sequence
            """)

    static let all = [ofList, ofAccount, marks]
}
