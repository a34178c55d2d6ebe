import TrolleyPostgres

/// SQL about compressing lists.
enum CompressionSQL {
    /// Lists in which something is old enough, longest waiting first. By index: lists without are not looked at.
    static let eligible = Statement(
        name: "compression_eligible",
        sql: """
            SELECT id
            FROM list
            WHERE uncompressed_since < $1 AND deleted_at IS NULL
            ORDER BY uncompressed_since
            """)

    static let clock = Statement(name: "compression_clock", sql: "SELECT clock_timestamp()")

    // What is left for another time is what was received since.
    static let record = Statement(
        name: "compression_record",
        sql: """
            UPDATE list
            SET head = $2,
                compressed_until = greatest(compressed_until, $3),
                uncompressed_since = (
                    SELECT min(received_at) FROM entry WHERE entry.list_id = list.id AND received_at >= $3)
            WHERE id = $1
            """)

    static let all = [eligible, clock, record]
}
