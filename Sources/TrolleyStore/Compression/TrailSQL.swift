import TrolleyPostgres

/// SQL about the trail: the discards in the lists' streams, with which devices that were away catch up.
///
/// Both statements use the index `event_trail`, which is of the changes' JSON: also events that have no type yet are found.
enum TrailSQL {
    /// Lists with older discards, for a limited number of discards. Uses an index.
    static let eligible = Statement(
        name: "trail_eligible",
        sql: """
            SELECT DISTINCT old.list_id
            FROM (
                SELECT list_id
                FROM event
                WHERE received_at < $1 AND change ->> 'type' = 'discard'
                ORDER BY received_at
                LIMIT $2
            ) AS old
            """)

    static let drop = Statement(
        name: "trail_drop",
        sql: """
            DELETE FROM event
            WHERE list_id = $1 AND received_at < $2 AND change ->> 'type' = 'discard'
            RETURNING sequence
            """)

    static let advance = Statement(
        name: "trail_advance", sql: "UPDATE list SET trail_from = greatest(trail_from, $2) WHERE id = $1")

    static let all = [eligible, drop, advance]
}
