import TrolleyPostgres

/// SQL about the journal: live and archived entries.
enum EntrySQL {
    /// The columns of an entry as devices receive it, in the order in which `ConfirmedEntry.init(row:from:)` reads
    /// them.
    static let liveColumns = columns(
        of: "entry", after: "CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END")

    /// The same columns, of the entry as it was sent.
    static func sentColumns(of table: String) -> String { columns(of: table, after: "\(table).after_id") }

    private static func columns(of table: String, after: String) -> String {
        """
        \(table).sequence, \(table).entry_id, \(table).operation, \(table).item_id, \(after) AS after_id, \(table).fields,
        \(table).batch_id, \(table).cause, \(table).reverts_id, \(table).device_sequence, \(table).author_id,
        \(table).device_id, \(table).made_at, \(table).received_at
        """
    }

    /// Their types.
    static let types: [PostgresType] = [
        .int8, .uuid, .text, .uuid, .uuid, .json, .uuid, .text, .uuid, .int8, .uuid, .uuid, .timestamptz, .timestamptz,
    ]

    static let ofList = Statement(
        name: "entry_of_list", sql: "SELECT \(liveColumns) FROM entry WHERE list_id = $1 ORDER BY sequence")

    /// The number of entries that a long read fetches at a time: at most 2 MiB of them.
    static let atATime = 500

    static let entryRange = Statement(
        name: "entry_stretch",
        sql: "SELECT \(liveColumns) FROM entry WHERE list_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3")

    // All entries of a list's Activity that are retained. An entry that was brought back appears once, at its first
    // sequence. If the retention has dropped older entries ($2), live entries have anchors that don't refer to them.
    static let activityOfList = Statement(
        name: "entry_activity_of_list",
        sql: """
            SELECT \(sentColumns(of: "archived_entry"))
            FROM archived_entry
            WHERE list_id = $1
            UNION ALL
            SELECT \(columns(of: "entry", after: "CASE WHEN entry.resolved AND $2 THEN entry.resolved_after_id ELSE entry.after_id END"))
            FROM entry
            WHERE list_id = $1 AND \(ArchiveSQL.isNotArchived)
            ORDER BY sequence
            """)

    // The same, after a sequence ($3), and at most $4 rows.
    static let activityRange = Statement(
        name: "entry_activity_stretch",
        sql: """
            (
                SELECT \(sentColumns(of: "archived_entry"))
                FROM archived_entry
                WHERE list_id = $1 AND sequence > $3
                ORDER BY sequence
                LIMIT $4
            )
            UNION ALL
            (
                SELECT \(columns(of: "entry", after: "CASE WHEN entry.resolved AND $2 THEN entry.resolved_after_id ELSE entry.after_id END"))
                FROM entry
                WHERE list_id = $1 AND sequence > $3 AND \(ArchiveSQL.isNotArchived)
                ORDER BY sequence
                LIMIT $4
            )
            ORDER BY sequence
            LIMIT $4
            """)

    // The same stretch, without the archived entries that were received before a time ($2), which are not even looked for.
    static let recentRange = Statement(
        name: "entry_recent_stretch",
        sql: """
            (
                SELECT \(sentColumns(of: "archived_entry"))
                FROM archived_entry
                WHERE list_id = $1 AND received_at >= $2 AND sequence > $3
                ORDER BY sequence
                LIMIT $4
            )
            UNION ALL
            (
                SELECT \(sentColumns(of: "entry"))
                FROM entry
                WHERE list_id = $1 AND sequence > $3 AND (
                    SELECT true
                    FROM archived_id AS id
                    WHERE id.list_id = $1 AND id.entry_id = entry.entry_id
                        AND id.received_at >= greatest($2, (SELECT activity_from FROM service))
                    LIMIT 1) IS NULL
                ORDER BY sequence
                LIMIT $4
            )
            ORDER BY sequence
            LIMIT $4
            """)

    /// The newest entries of a device's own, at most $3. An entry that was brought back counts once, where it happened.
    static let newestOfDevice = Statement(
        name: "entry_newest_of_device",
        sql: """
            SELECT device_sequence, item_id, batch_id
            FROM (
                (
                    SELECT sequence, device_sequence, item_id, batch_id
                    FROM archived_entry
                    WHERE list_id = $1 AND device_id = $2
                    ORDER BY sequence DESC
                    LIMIT $3
                )
                UNION ALL
                (
                    SELECT sequence, device_sequence, item_id, batch_id
                    FROM entry
                    WHERE list_id = $1 AND device_id = $2 AND \(ArchiveSQL.isNotArchived)
                    ORDER BY sequence DESC
                    LIMIT $3
                )
            ) AS own
            ORDER BY sequence DESC
            LIMIT $3
            """)

    // The anchors are those that compression gave, because other items of the archive are not read.
    /// A stretch of the live entries, of the archived ones that were received at $2 or later, and of all entries about the items
    /// $3 and about the list itself.
    static let touchedRange = Statement(
        name: "entry_touched_stretch",
        sql: """
            (
                SELECT \(sentColumns(of: "archived_entry"))
                FROM archived_entry
                WHERE list_id = $1 AND sequence > $4
                    AND (received_at >= $2 OR item_id = ANY ($3) OR operation IN ('renameList', 'recolourList'))
                ORDER BY sequence
                LIMIT $5
            )
            UNION ALL
            (
                SELECT \(liveColumns)
                FROM entry
                WHERE list_id = $1 AND sequence > $4 AND (
                    SELECT true
                    FROM archived_id AS id
                    WHERE id.list_id = $1 AND id.entry_id = entry.entry_id
                        AND id.received_at >= (SELECT activity_from FROM service)
                        AND (id.received_at >= $2 OR id.item_id = ANY ($3))
                    LIMIT 1) IS NULL
                ORDER BY sequence
                LIMIT $5
            )
            ORDER BY sequence
            LIMIT $5
            """)

    static let delete = Statement(
        name: "entry_delete",
        sql: """
            WITH gone AS (
                DELETE FROM entry
                WHERE list_id = $1 AND entry_id = ANY ($2)
                RETURNING fields
            )
            UPDATE list
            SET bytes = greatest(0, bytes - (SELECT coalesce(sum(octet_length(fields::text)), 0) FROM gone)),
                live_entries = greatest(0, live_entries - (SELECT count(*) FROM gone))
            WHERE id = $1
            """)

    // Makes archived entries live again, each with a new sequence and with the anchor that is correct there.
    static let restoreEntries = Statement(
        name: "entry_bring_back",
        sql: """
            WITH returned AS (
                INSERT INTO entry (
                    list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id,
                    device_sequence, author_id, device_id, made_at, received_at, resolved, resolved_after_id
                )
                SELECT
                    archived.list_id, place.sequence, archived.entry_id, archived.operation, archived.item_id,
                    archived.after_id, archived.fields, archived.batch_id, archived.cause, archived.reverts_id,
                    archived.device_sequence, archived.author_id, archived.device_id, archived.made_at,
                    archived.received_at, true, place.after_id
                FROM unnest($2::uuid[], $3::bigint[], $4::uuid[]) AS place (entry_id, sequence, after_id)
                JOIN archived_id AS id ON id.list_id = $1 AND id.entry_id = place.entry_id
                JOIN archived_entry AS archived
                    ON archived.list_id = id.list_id AND archived.sequence = id.sequence
                    AND archived.received_at = id.received_at
                WHERE archived.list_id = $1
                RETURNING fields
            )
            UPDATE list
            SET bytes = bytes + (SELECT coalesce(sum(octet_length(fields::text)), 0) FROM returned),
                live_entries = live_entries + (SELECT count(*) FROM returned)
            WHERE list.id = $1
            """)

    // Records the present sequences of brought-back entries, for tokens at those sequences: see `ChangeSQL.mark`.
    static let keepReturnedPlaces = Statement(
        name: "entry_keep_returned_places",
        sql: """
            INSERT INTO returned_place (list_id, sequence, received_at)
            SELECT list_id, sequence, received_at
            FROM entry
            WHERE list_id = $1 AND sequence = ANY ($2)
            """)

    static let all = [
        ofList, entryRange, activityOfList, activityRange, recentRange, newestOfDevice, touchedRange, delete,
        restoreEntries, keepReturnedPlaces,
    ]
}
