import TrolleyPostgres

/// SQL about the journal: what is live of it, and what compression took away.
enum EntrySQL {
    /// The columns of an entry, in the order that `ConfirmedEntry.init(row:from:)` reads them, as devices get them.
    static let liveColumns = columns(
        of: "entry", after: "CASE WHEN entry.resolved THEN entry.resolved_after_id ELSE entry.after_id END")

    /// The same columns, as the entry was sent.
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

    /// How many entries are read at a time by who reads many: 2 MiB of them at the most.
    static let atATime = 500

    static let stretch = Statement(
        name: "entry_stretch",
        sql: "SELECT \(liveColumns) FROM entry WHERE list_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3")

    // Everything that a list ever had, as far as it is retained. What was brought back counts once, in its first place.
    // When a retention has dropped some of it ($2), what is live has the anchors that don't need it.
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

    // The same, after a place ($3) and no more than so many ($4).
    static let activityStretch = Statement(
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

    // What a list is called, to somebody who isn't on it yet.
    static let names = Statement(
        name: "entry_names",
        sql: """
            SELECT \(liveColumns)
            FROM entry
            WHERE list_id = $1 AND operation IN ('renameList', 'recolourList')
            ORDER BY sequence
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
            SET bytes = greatest(0, bytes - (SELECT coalesce(sum(octet_length(fields::text)), 0) FROM gone))
            WHERE id = $1
            """)

    // Brings archived entries back, each in a new place of the stream and with the anchor that is right there.
    static let bringBack = Statement(
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
            SET bytes = bytes + (SELECT coalesce(sum(octet_length(fields::text)), 0) FROM returned)
            WHERE list.id = $1
            """)

    // Where they stand now, for tokens that stand there: see `ChangeSQL.mark`.
    static let keepReturnedPlaces = Statement(
        name: "entry_keep_returned_places",
        sql: """
            INSERT INTO returned_place (list_id, sequence, received_at)
            SELECT list_id, sequence, received_at
            FROM entry
            WHERE list_id = $1 AND sequence = ANY ($2)
            """)

    static let all = [
        ofList, stretch, activityOfList, activityStretch, names, delete, bringBack, keepReturnedPlaces,
    ]
}
