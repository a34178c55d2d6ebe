import TrolleyJournal
import TrolleyPostgres

/// SQL about compressing lists.
enum CompressionSQL {
    // Lists with old enough entries, longest waiting first, a page at a time. Uses an index, so other lists are not
    // read.
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

    // If a statement about lists is for one list only, the last bind (`alone`) is that list, and Citus sends the
    // statement to its shard. On a single server the condition is always true.

    // The heads of lists. Read before the entries: changes in between count as having come since.
    static let heads = Statement(
        name: "compression_heads", sql: "SELECT id, head FROM list WHERE id = ANY ($1) AND deleted_at IS NULL")

    // The live entries of lists, at most $2 of each, as `ConfirmedEntry.init(effect:row:from:)` reads them: only the
    // columns that affect the fold. Lateral, so that each list is read by its key, whatever number of lists the planner
    // expects.
    static let entries = Statement(
        name: "compression_entries",
        sql: """
            SELECT asked.number, entry.*
            FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (list_id, number)
            CROSS JOIN LATERAL (
                SELECT
                    entry.sequence, entry.entry_id, entry.operation, entry.item_id,
                    CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END, entry.fields,
                    entry.made_at, entry.received_at, entry.author_id
                FROM entry
                WHERE entry.list_id = asked.list_id AND ($3::uuid IS NULL OR entry.list_id = $3)
                ORDER BY entry.sequence
                LIMIT $2
            ) AS entry
            """)

    /// The types of its columns.
    static let entryTypes: [PostgresType] = [
        .int8, .int8, .uuid, .text, .uuid, .uuid, .json, .timestamptz, .timestamptz, .uuid,
    ]

    // For the rest of the transaction. Compression may fill empty tables within seconds after its statements were first
    // planned, so each plan is made for the present contents (`docs/decisions/1501`).
    static let forceCustomPlan = Statement(
        name: "compression_plan_anew",
        sql: """
            SELECT
                set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_hashjoin', 'on', true),
                set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true)
            """)

    // Takes the locks that are free. It never waits, so it can't deadlock.
    static let lock = Statement(name: "compression_lock", sql: "\(heads.sql) FOR UPDATE SKIP LOCKED")

    // Takes the lock of one list, and waits for it.
    static let lockAlone = Statement(name: "compression_lock_alone", sql: "\(heads.sql) FOR UPDATE")

    // Changes in lists' streams since their compressions were computed: the entries, and the sequences of discards.
    // OFFSET 0 keeps the planner from joining whole tables, and coalesce from reading the index of all lists' discards: it can't
    // know how many there are.
    static let since = Statement(
        name: "compression_since",
        sql: """
            SELECT known.list_id, change.*
            FROM unnest($1::uuid[], $2::bigint[]) AS known (list_id, head)
            CROSS JOIN LATERAL (
                SELECT
                    NULL::bigint, entry.item_id,
                    CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END, entry.received_at
                FROM entry
                WHERE entry.list_id = known.list_id AND entry.sequence > known.head
                    AND ($3::uuid IS NULL OR entry.list_id = $3)
                UNION ALL
                SELECT event.sequence, NULL, NULL, event.received_at
                FROM event
                WHERE event.list_id = known.list_id AND event.sequence > known.head
                    AND ($3::uuid IS NULL OR event.list_id = $3) AND \(EventSQL.type) = 'discard'
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
                AND ($4::uuid IS NULL OR entry.list_id = $4)
            """)

    // After the last step of each list: sets the new head, if it changed, and the time of the oldest remaining entry. Counts
    // the live entries again, which costs less than compression has read already: processes of an earlier version, which may
    // run beside this one, don't keep their number.
    static let record = Statement(
        name: "compression_record",
        sql: """
            UPDATE list
            SET head = coalesce(done.head, list.head), mark_of = coalesce(done.head, list.mark_of),
                mark = CASE WHEN done.head IS NULL THEN list.mark ELSE (
                    SELECT event.received_at
                    FROM event
                    WHERE event.list_id = list.id AND event.sequence = done.head
                        AND ($5::uuid IS NULL OR event.list_id = $5)) END,
                compressed_until = greatest(list.compressed_until, done.until),
                uncompressed_since = done.since, compressed_at = now(),
                live_entries = (
                    SELECT count(*)
                    FROM entry
                    WHERE entry.list_id = list.id AND ($5::uuid IS NULL OR entry.list_id = $5))
            FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::timestamptz[])
                AS done (list_id, head, until, since)
            WHERE list.id = done.list_id AND ($5::uuid IS NULL OR list.id = $5)
            """)

    static let clock = Statement(name: "compression_clock", sql: "SELECT clock_timestamp()")

    static let all = [eligible, heads, entries, forceCustomPlan, since, reanchor, record, clock]

    /// Their array holds lists of one shard, where lists are distributed.
    static let ofOneShard = [lock, lockAlone]
}

extension [ListID] {
    /// The list if it is the only one: the last bind of a statement about lists.
    var alone: ListID? { count == 1 ? self[0] : nil }
}
