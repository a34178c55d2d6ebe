import TrolleyPostgres

/// SQL about a list's Activity.
enum ActivitySQL {
    // Each part has the limit, so that a long list is not read whole.
    private static func entries(of table: String, where condition: String = "") -> String {
        """
        (
            SELECT \(EntrySQL.sentColumns(of: table)), NULL::json AS share, NULL::json AS difference
            FROM \(table)
            WHERE \(table).list_id = $1 AND \(table).sequence < $2
                AND ($4::uuid IS NULL OR \(table).author_id = $4) AND ($5::uuid IS NULL OR \(table).item_id = $5)
                \(condition)
            ORDER BY \(table).sequence DESC
            LIMIT $3
        )
        """
    }

    /// The largest number of bytes of the states in a page, without the last.
    static let shareBytesOfPage = 1 << 20

    // The bytes of a state in the page: those of its difference, or of the whole state where no difference is stored (as in
    // ``ChangeSQL``).
    private static let bytesOfShare = """
        CASE WHEN event.difference IS NULL THEN 4 * pg_column_size(event.change) ELSE pg_column_size(event.difference) END
        """

    // Newest first: entries as they were sent (an entry that was brought back appears once), and states of the share. A state
    // comes as its difference from the state before, or whole where no difference is stored. Both columns are null where the
    // page ends because of its bytes.
    static let page = Statement(
        name: "activity_page",
        sql: """
            SELECT activity.*, account.name
            FROM (
                \(entries(of: "archived_entry"))
                UNION ALL
                \(entries(of: "entry", where: "AND \(ArchiveSQL.isNotArchived)"))
                UNION ALL
                SELECT
                    event.sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                    event.received_at,
                    CASE WHEN event.difference IS NULL AND event.after <= \(shareBytesOfPage) THEN event.change END,
                    CASE WHEN event.after <= \(shareBytesOfPage) THEN event.difference END
                FROM (
                    SELECT
                        event.sequence, event.received_at, event.change, event.difference,
                        coalesce(
                            sum(\(bytesOfShare)) OVER (
                                ORDER BY event.sequence DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                            0) AS after
                    FROM (
                        SELECT event.sequence, event.received_at, event.change, event.difference
                        FROM event
                        WHERE event.list_id = $1 AND event.sequence < $2 AND $5::uuid IS NULL
                            AND (event.difference IS NOT NULL OR \(EventSQL.type) = 'share')
                        ORDER BY event.sequence DESC
                        LIMIT $3
                    ) AS event
                ) AS event
                ORDER BY sequence DESC
                LIMIT $3
            ) AS activity
            LEFT JOIN account ON account.id = activity.author_id
            ORDER BY activity.sequence DESC
            """)

    // The archived entry to which an archived id belongs, from the month that has it. OFFSET 0 keeps the planner from reading
    // all that the list ever archived: the archive itself has no index by item.
    private static let archivedOfID = """
        CROSS JOIN LATERAL (
            SELECT item_id, sequence, made_at, operation, fields
            FROM archived_entry
            WHERE list_id = $1 AND sequence = id.sequence AND received_at = id.received_at
            OFFSET 0
        ) AS archived
        """

    // The text of items ($2) at each of these entries ($3): the latest text among the entries up to there. A message about
    // an item has another text.
    static let names = Statement(
        name: "activity_names",
        sql: """
            WITH told AS (
                SELECT
                    archived.item_id, archived.sequence, archived.made_at,
                    archived.operation IN ('add', 'edit') AND archived.fields ->> 'text' IS NOT NULL AS names
                FROM archived_id AS id
                \(archivedOfID)
                WHERE id.list_id = $1 AND id.item_id = ANY ($2)
                UNION ALL
                SELECT item_id, sequence, made_at, operation IN ('add', 'edit') AND fields ->> 'text' IS NOT NULL
                FROM entry
                WHERE list_id = $1 AND item_id = ANY ($2) AND \(ArchiveSQL.isNotArchived)
            ), named AS (
                SELECT
                    sequence, item_id,
                    max(CASE WHEN names THEN ARRAY[extract(epoch FROM made_at), sequence] END)
                        OVER (PARTITION BY item_id ORDER BY sequence) AS latest
                FROM told
            ), wanted AS (
                SELECT sequence, item_id, latest[2]::bigint AS by_sequence
                FROM named
                WHERE sequence = ANY ($3)
            )
            SELECT
                wanted.sequence,
                coalesce(
                    (
                        SELECT entry.fields ->> 'text'
                        FROM entry
                        WHERE entry.list_id = $1 AND entry.sequence = wanted.by_sequence),
                    (
                        SELECT archived.fields ->> 'text'
                        FROM archived_id AS id
                        \(archivedOfID)
                        WHERE id.list_id = $1 AND id.item_id = wanted.item_id AND id.sequence = wanted.by_sequence))
            FROM wanted
            """)

    // The devices of the people who may change a list, when each was last here, and its last report on the list's
    // upload queue. A report counts only if the device had the list then.
    static let devices = Statement(
        name: "activity_devices",
        sql: """
            SELECT
                device.id, device.account_id, device.name, device.last_seen_at,
                CASE WHEN had.it AND said.report IS NOT NULL THEN said.reported_at END,
                CASE WHEN had.it AND said.report IS NOT NULL THEN (said.held ->> $1::uuid::text)::bigint END,
                had.it OR CASE
                    WHEN said.device_id IS NULL THEN device.last_seen_at > member.joined_at - interval '2 minutes'
                    ELSE said.reported_at > member.joined_at - interval '2 minutes' - \(ReportSQL.freshness)
                END
            FROM member
            JOIN device ON device.account_id = member.account_id
            LEFT JOIN device_report AS said ON said.device_id = device.id
            CROSS JOIN LATERAL (SELECT coalesce(said.positions ? $1::uuid::text, false) AS it) AS had
            WHERE member.list_id = $1 AND member.permission = 'readWrite' AND device.token_hash IS NOT NULL
            """)

    static let epoch = Statement(name: "activity_epoch", sql: "SELECT epoch FROM service")

    static let all = [page, names, devices, epoch]
}
