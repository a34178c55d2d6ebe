import TrolleyPostgres

/// SQL that appends to several lists in one transaction.
enum AppendSQL {
    // Takes the locks that are to be had at once. A list that somebody else holds keeps no other waiting, and as nobody
    // waits here, nobody waits in a circle. From here on nobody else appends to these lists, and what later statements of
    // the transaction see is all that was appended. The clock is the database's, because several processes serve the
    // same list.
    static let lock = Statement(
        name: "append_lock",
        sql: """
            SELECT list.id, list.head, (SELECT epoch FROM service), clock_timestamp()
            FROM unnest($1::uuid[], $2::uuid[]) AS asked (list_id, account_id)
            JOIN member ON member.list_id = asked.list_id AND member.account_id = asked.account_id
            JOIN list ON list.id = member.list_id
            WHERE list.deleted_at IS NULL
            FOR UPDATE OF list SKIP LOCKED
            """)

    // Read after the locks were had, because who removes somebody holds them too.
    static let members = Statement(
        name: "append_members",
        sql: """
            SELECT list_id, account_id, role, permission
            FROM member
            WHERE list_id = ANY ($1)
            """)

    /// What is live under ids, in whichever list.
    static let taken = Statement(
        name: "append_taken",
        sql: """
            SELECT \(EntrySQL.sentColumns(of: "entry")), entry.list_id
            FROM entry
            WHERE entry_id = ANY ($1)
            """)

    // Entries in the live journals of those lists that may have more than a quota: one whose stream is shorter can't, and
    // is not counted.
    static let count = Statement(
        name: "append_count",
        sql: """
            SELECT
                list.id,
                (SELECT count(*) FROM (SELECT FROM entry WHERE entry.list_id = list.id LIMIT 2 * $2) AS counted)
            FROM list
            WHERE list.id = ANY ($1) AND list.head > $2
            """)

    // Which of these lists' items compression has taken away. Most uploads go to lists that it has taken nothing of, and that
    // is asked for once a list ($3), not once an item. By a value, because an EXISTS becomes a join, and one that was planned
    // while the archive was empty reads all of it.
    static let purgedItems = Statement(
        name: "append_purged_items",
        sql: """
            SELECT DISTINCT archived_id.list_id, archived_id.item_id
            FROM (
                SELECT asked.list_id
                FROM unnest($3::uuid[]) AS asked (list_id)
                WHERE (SELECT true FROM archived_id WHERE archived_id.list_id = asked.list_id LIMIT 1)
                OFFSET 0
            ) AS compressed
            CROSS JOIN LATERAL (
                SELECT named.item_id
                FROM unnest($1::uuid[], $2::uuid[]) AS named (list_id, item_id)
                WHERE named.list_id = compressed.list_id
                OFFSET 0
            ) AS named
            CROSS JOIN LATERAL (
                SELECT archived_id.list_id, archived_id.item_id
                FROM archived_id
                WHERE archived_id.list_id = compressed.list_id AND archived_id.item_id = named.item_id
                LIMIT 1
            ) AS archived_id
            WHERE NOT EXISTS (
                SELECT FROM entry
                WHERE entry.list_id = archived_id.list_id AND entry.item_id = archived_id.item_id
                    AND entry.operation = 'add')
            """)

    static let insert = Statement(
        name: "append_insert",
        sql: """
            INSERT INTO entry (
                list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id,
                device_sequence, author_id, device_id, made_at, received_at, resolved, resolved_after_id
            )
            SELECT *
            FROM unnest(
                $1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::json[], $8::uuid[],
                $9::text[], $10::uuid[], $11::bigint[], $12::uuid[], $13::uuid[], $14::timestamptz[],
                $15::timestamptz[], $16::boolean[], $17::uuid[]
            )
            """)

    // There is something again that compression has not looked at.
    static let advance = Statement(
        name: "append_advance",
        sql: """
            UPDATE list
            SET head = appended.head, uncompressed_since = coalesce(list.uncompressed_since, appended.received_at)
            FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) AS appended (list_id, head, received_at)
            WHERE list.id = appended.list_id
            """)

    static let all = [lock, members, taken, count, purgedItems, insert, advance]
}
