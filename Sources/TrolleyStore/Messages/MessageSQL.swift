import TrolleyPostgres

/// SQL about a list's messages. Each statement repeats the condition of the index that it uses (`migrations/0020`).
enum MessageSQL {
    private static let isAboutMessages =
        "entry.operation IN ('message', 'deleteMessage', 'react', 'unreact', 'pin', 'unpin')"
    private static let isAboutOne = "entry.operation IN ('deleteMessage', 'react', 'unreact', 'pin', 'unpin')"

    // The given messages ($2), and the entries that delete them ($3: the same ids as text).
    static let named = Statement(
        name: "message_named",
        sql: """
            SELECT \(EntrySQL.sentColumns(of: "entry"))
            FROM entry
            WHERE list_id = $1 AND entry_id = ANY ($2) AND operation = 'message'
            UNION ALL
            SELECT \(EntrySQL.sentColumns(of: "entry"))
            FROM entry
            WHERE list_id = $1 AND fields ->> 'message' = ANY ($3) AND \(isAboutOne) AND operation = 'deleteMessage'
            """)

    // Whether a loss of data is so recent that devices still offer again what the service has lost.
    static let isRecovering = Statement(
        name: "message_is_recovering",
        sql: "SELECT epoch_reason <> 'begun' AND epoch_began_at > now() - interval '30 days' FROM service")

    static let count = Statement(
        name: "message_count", sql: "UPDATE list SET messages = greatest(0, messages + $2) WHERE id = $1")

    static let total = Statement(name: "message_total", sql: "SELECT messages FROM list WHERE id = $1")

    // The newest messages before a sequence, newest first, without deleted ones.
    static let newest = Statement(
        name: "message_newest",
        sql: """
            SELECT \(EntrySQL.liveColumns)
            FROM entry
            WHERE list_id = $1 AND sequence < $2 AND \(isAboutMessages) AND operation = 'message'
                AND (
                    SELECT true
                    FROM entry AS deletion
                    WHERE deletion.list_id = $1 AND deletion.fields ->> 'message' = entry.entry_id::text
                        AND deletion.operation IN ('deleteMessage', 'react', 'unreact', 'pin', 'unpin')
                        AND deletion.operation = 'deleteMessage'
                    LIMIT 1) IS NULL
            ORDER BY sequence DESC
            LIMIT $3
            """)

    // Everything about messages after a sequence.
    static let since = Statement(
        name: "message_since",
        sql: """
            SELECT \(EntrySQL.liveColumns)
            FROM entry
            WHERE list_id = $1 AND sequence > $2 AND \(isAboutMessages)
            ORDER BY sequence
            LIMIT $3
            """)

    // The given messages ($2), and all that is about one of these ($3, as text).
    static let whole = Statement(
        name: "message_whole",
        sql: """
            SELECT \(EntrySQL.liveColumns)
            FROM entry
            WHERE list_id = $1 AND entry_id = ANY ($2) AND operation = 'message'
            UNION ALL
            SELECT \(EntrySQL.liveColumns)
            FROM entry
            WHERE list_id = $1 AND fields ->> 'message' = ANY ($3) AND \(isAboutOne)
            """)

    /// The number of entries about the given messages ($2, as text), and the bytes of their fields.
    static let size = Statement(
        name: "message_size",
        sql: """
            SELECT count(*), coalesce(sum(octet_length(fields::text)), 0)::bigint
            FROM entry
            WHERE list_id = $1 AND fields ->> 'message' = ANY ($2) AND \(isAboutOne)
            """)

    /// For each of the given messages ($2, as text), the number of a person's entries about their reactions to it.
    static let reactions = Statement(
        name: "message_reactions",
        sql: """
            SELECT fields ->> 'message', count(*)
            FROM entry
            WHERE list_id = $1 AND fields ->> 'message' = ANY ($2) AND \(isAboutOne)
                AND author_id = $3 AND operation IN ('react', 'unreact')
            GROUP BY 1
            """)

    // The last sequence of anything about messages that was received up to a time; 0: none.
    static let place = Statement(
        name: "message_place",
        sql: """
            SELECT coalesce(
                (
                    SELECT sequence
                    FROM entry
                    WHERE list_id = $1 AND received_at <= $2 AND \(isAboutMessages)
                    ORDER BY received_at DESC, sequence DESC
                    LIMIT 1),
                0)
            """)

    // The messages that were deleted after a sequence ($2) or a time ($3). Compression keeps deletions in the Activity.
    static let deleted = Statement(
        name: "message_deleted",
        sql: """
            (
                SELECT sequence, fields ->> 'message', received_at
                FROM entry
                WHERE list_id = $1 AND sequence > $2 AND received_at > $3 AND \(isAboutMessages)
                    AND operation = 'deleteMessage'
                ORDER BY sequence
                LIMIT $4
            )
            UNION ALL
            (
                SELECT sequence, fields ->> 'message', received_at
                FROM archived_entry
                WHERE list_id = $1 AND sequence > $2 AND received_at > $3 AND operation = 'deleteMessage'
                ORDER BY sequence
                LIMIT $4
            )
            ORDER BY 1
            LIMIT $4
            """)

    // How many of these messages the list has, or had as far as the Activity is retained, and the last of their sequences.
    // Other entries' ids are in the archive, too. The time lets the planner read one month.
    static let places = Statement(
        name: "message_places",
        sql: """
            SELECT count(DISTINCT known.entry_id), coalesce(max(known.sequence), 0)
            FROM (
                SELECT entry_id, sequence FROM entry
                WHERE list_id = $1 AND entry_id = ANY ($2) AND operation = 'message'
                UNION ALL
                SELECT id.entry_id, id.sequence
                FROM archived_id AS id
                JOIN archived_entry AS gone
                    ON gone.list_id = id.list_id AND gone.sequence = id.sequence AND gone.received_at = id.received_at
                WHERE id.list_id = $1 AND id.entry_id = ANY ($2) AND gone.operation = 'message'
            ) AS known
            """)

    static let all = [
        named, isRecovering, count, total, newest, since, whole, size, reactions, place, deleted, places,
    ]
}
