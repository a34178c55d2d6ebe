import TrolleyPostgres

/// SQL about compressing lists.
enum CompressionSQL {
    // Lists in which something is old enough, longest waiting first, a page of them after a given one. By index: lists
    // without are not looked at.
    static let eligible = Statement(
        name: "compression_eligible",
        sql: """
            SELECT id, uncompressed_since
            FROM list
            WHERE uncompressed_since < $1 AND deleted_at IS NULL AND (uncompressed_since, id) > ($2, $3::uuid)
                AND (compressed_at IS NULL OR compressed_at < $4)
            ORDER BY uncompressed_since, id
            LIMIT $5
            """)

    // The heads of lists. Read before the entries: what comes in between counts as having come since.
    static let headsOfMany = Statement(
        name: "compression_heads_of_many", sql: "SELECT id, head FROM list WHERE id = ANY ($1) AND deleted_at IS NULL")

    // The live entries of many lists, no more of each than $2, as `ConfirmedEntry.init(effect:row:from:)` reads them: only what
    // says what they do to the list. Lateral, so that each list is read by its key, whatever the planner thinks of the
    // number of lists.
    static let entriesOfMany = Statement(
        name: "compression_entries_of_many",
        sql: """
            SELECT asked.number, entry.*
            FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (list_id, number)
            CROSS JOIN LATERAL (
                SELECT
                    entry.sequence, entry.entry_id, entry.operation, entry.item_id,
                    CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END, entry.fields,
                    entry.made_at, entry.received_at
                FROM entry
                WHERE entry.list_id = asked.list_id
                ORDER BY entry.sequence
                LIMIT $2
            ) AS entry
            """)

    /// The types of its columns.
    static let typesOfMany: [PostgresType] = [
        .int8, .int8, .uuid, .text, .uuid, .uuid, .json, .timestamptz, .timestamptz,
    ]

    // For the rest of the transaction. Compression fills tables that may have been empty when its statements were planned
    // first, within seconds: each plan is made for what is there now (`docs/decisions/1501`).
    static let planAnew = Statement(
        name: "compression_plan_anew",
        sql: """
            SELECT
                set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_hashjoin', 'on', true),
                set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true)
            """)

    // The locks that are to be had at once: nobody waits here, so nobody waits in a circle.
    static let lock = Statement(
        name: "compression_lock",
        sql: """
            SELECT id, head
            FROM list
            WHERE id = ANY ($1) AND deleted_at IS NULL
            FOR UPDATE SKIP LOCKED
            """)

    // The same as ``since``, of many lists. OFFSET 0 keeps the planner from joining whole tables.
    static let sinceOfMany = Statement(
        name: "compression_since_of_many",
        sql: """
            SELECT known.list_id, change.*
            FROM unnest($1::uuid[], $2::bigint[]) AS known (list_id, head)
            CROSS JOIN LATERAL (
                SELECT
                    false, entry.item_id,
                    CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END, entry.received_at
                FROM entry
                WHERE entry.list_id = known.list_id AND entry.sequence > known.head
                UNION ALL
                SELECT true, NULL, NULL, event.received_at
                FROM event
                WHERE event.list_id = known.list_id AND event.sequence > known.head
                    AND event.change ->> 'type' = 'discard'
                OFFSET 0
            ) AS change
            """)

    static let reanchor = Statement(
        name: "compression_reanchor",
        sql: """
            UPDATE entry
            SET resolved = true, resolved_after_id = anchor.after_id
            FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS anchor (list_id, entry_id, after_id)
            WHERE entry.list_id = anchor.list_id AND entry.entry_id = anchor.entry_id
            """)

    static let tell = Statement(
        name: "compression_tell",
        sql: """
            INSERT INTO event (list_id, sequence, change)
            SELECT *
            FROM unnest($1::uuid[], $2::bigint[], $3::json[])
            """)

    // ``record`` of many lists, with their new heads where they have one.
    static let recordMany = Statement(
        name: "compression_record_many",
        sql: """
            UPDATE list
            SET head = coalesce(done.head, list.head), compressed_until = greatest(list.compressed_until, done.until),
                uncompressed_since = done.since, compressed_at = now()
            FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::timestamptz[])
                AS done (list_id, head, until, since)
            WHERE list.id = done.list_id
            """)

    static let clock = Statement(name: "compression_clock", sql: "SELECT clock_timestamp()")

    static let head = Statement(
        name: "compression_head", sql: "SELECT head FROM list WHERE id = $1 AND deleted_at IS NULL")

    // What has come into the stream since a compression was worked out, but for its own discards: what entries name, and
    // whether anybody else discarded anything.
    static let since = Statement(
        name: "compression_since",
        sql: """
            SELECT
                false, entry.item_id,
                CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END, entry.received_at
            FROM entry
            WHERE entry.list_id = $1 AND entry.sequence > $2
            UNION ALL
            SELECT true, NULL, NULL, event.received_at
            FROM event
            WHERE event.list_id = $1 AND event.sequence > $2 AND event.sequence <> ALL ($3)
                AND event.change ->> 'type' = 'discard'
            """)

    // What is left for another time is what was received since.
    static let record = Statement(
        name: "compression_record",
        sql: """
            UPDATE list
            SET compressed_until = greatest(compressed_until, $2), uncompressed_since = $3, compressed_at = now()
            WHERE id = $1
            """)

    static let all = [
        eligible, headsOfMany, entriesOfMany, planAnew, lock, sinceOfMany, reanchor, tell, recordMany, clock, head,
        since, record,
    ]
}
