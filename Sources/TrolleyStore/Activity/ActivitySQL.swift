import TrolleyPostgres

/// SQL about a list's Activity.
enum ActivitySQL {
    private static func entries(of table: String) -> String {
        """
        SELECT \(EntrySQL.sentColumns(of: table)), NULL::json AS share, NULL::json AS share_before
        FROM \(table)
        WHERE \(table).list_id = $1 AND \(table).sequence < $2
            AND ($4::uuid IS NULL OR \(table).author_id = $4) AND ($5::uuid IS NULL OR \(table).item_id = $5)
        """
    }

    // Newest first: entries as they were sent (one that was brought back appears once), and each state of the share
    // with its predecessor.
    static let page = Statement(
        name: "activity_page",
        sql: """
            SELECT activity.*, account.name
            FROM (
                \(entries(of: "archived_entry"))
                UNION ALL
                \(entries(of: "entry"))
                    AND \(ArchiveSQL.isNotArchived)
                UNION ALL
                SELECT
                    event.sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                    event.received_at, event.change, (
                        SELECT before.change
                        FROM event AS before
                        WHERE before.list_id = $1 AND before.sequence < event.sequence
                            AND before.change ->> 'type' = 'share'
                        ORDER BY before.sequence DESC
                        LIMIT 1)
                FROM event
                WHERE event.list_id = $1 AND event.sequence < $2 AND event.change ->> 'type' = 'share'
                    AND $5::uuid IS NULL
                ORDER BY sequence DESC
                LIMIT $3
            ) AS activity
            LEFT JOIN account ON account.id = activity.author_id
            ORDER BY activity.sequence DESC
            """)

    // The text of items ($2) at each of these entries ($3): the latest text among the entries up to there. A message about
    // an item has another text.
    static let names = Statement(
        name: "activity_names",
        sql: """
            WITH told AS (
                SELECT
                    item_id, sequence, made_at, operation IN ('add', 'edit') AND fields ->> 'text' IS NOT NULL AS names
                FROM archived_entry
                WHERE list_id = $1 AND item_id = ANY ($2)
                UNION ALL
                SELECT item_id, sequence, made_at, operation IN ('add', 'edit') AND fields ->> 'text' IS NOT NULL
                FROM entry
                WHERE list_id = $1 AND item_id = ANY ($2) AND \(ArchiveSQL.isNotArchived)
            ), named AS (
                SELECT sequence, max(CASE WHEN names THEN ARRAY[extract(epoch FROM made_at), sequence] END)
                    OVER (PARTITION BY item_id ORDER BY sequence) AS latest
                FROM told
            ), wanted AS (
                SELECT sequence, latest[2]::bigint AS by_sequence
                FROM named
                WHERE sequence = ANY ($3)
            )
            SELECT wanted.sequence, coalesce(entry.fields, archived.fields) ->> 'text'
            FROM wanted
            LEFT JOIN archived_entry AS archived
                ON archived.list_id = $1 AND archived.sequence = wanted.by_sequence
            LEFT JOIN entry ON entry.list_id = $1 AND entry.sequence = wanted.by_sequence
            """)

    // The devices of the people who may change a list, when each was last here, and its last report on the list's
    // upload queue. A report counts only if the device had the list then.
    static let devices = Statement(
        name: "activity_devices",
        sql: """
            SELECT device.id, device.last_seen_at, said.reported_at, (said.held ->> $1::uuid::text)::bigint
            FROM member
            JOIN device ON device.account_id = member.account_id
            LEFT JOIN device_report AS said
                ON said.device_id = device.id AND said.report IS NOT NULL AND said.positions ? $1::uuid::text
            WHERE member.list_id = $1 AND member.permission = 'readWrite' AND device.token_hash IS NOT NULL
            """)

    static let epoch = Statement(name: "activity_epoch", sql: "SELECT epoch FROM service")

    static let all = [page, names, devices, epoch]
}
