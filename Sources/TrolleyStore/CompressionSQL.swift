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

    static let all = [eligible, clock, head, since, record]
}
