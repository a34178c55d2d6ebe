import TrolleyPostgres

/// SQL about lists as other programs' calendars.
enum CalendarSQL {
    /// The account's lists, or the one of these that is $2, with their names, colours and owners.
    static let lists = Statement(
        name: "calendar_lists",
        sql: """
            SELECT
                list.id, member.role, member.permission, list.head, service.epoch, list.trail_from, list.title_known,
                list.name, list.colour, list.owner_id
            FROM service
            CROSS JOIN list
            JOIN member ON member.list_id = list.id
            WHERE member.account_id = $1 AND list.deleted_at IS NULL AND ($2::uuid IS NULL OR list.id = $2)
            ORDER BY list.created_at, list.id
            """)

    // Items that changed or vanished after a sequence: those of later entries, live or archived, and those of entries that
    // were discarded later. As in `compression_since`, coalesce keeps the planner from all lists' discards.
    /// Each item with the sequence of its latest such change.
    static let changedItems = Statement(
        name: "calendar_changed_items",
        sql: """
            SELECT item_id, max(sequence)
            FROM (
                SELECT item_id, sequence
                FROM entry
                WHERE list_id = $1 AND sequence > $2 AND item_id IS NOT NULL
                UNION ALL
                SELECT item_id, sequence
                FROM archived_id
                WHERE list_id = $1 AND sequence > $2 AND item_id IS NOT NULL
                UNION ALL
                SELECT archived_id.item_id, gone.sequence
                FROM (
                    SELECT
                        event.sequence, json_array_elements_text(event.change -> 'entries')::uuid AS entry_id
                    FROM event
                    WHERE event.list_id = $1 AND event.sequence > $2 AND \(EventSQL.type) = 'discard'
                ) AS gone
                JOIN archived_id ON archived_id.list_id = $1 AND archived_id.entry_id = gone.entry_id
                WHERE archived_id.item_id IS NOT NULL
            ) AS changed
            GROUP BY item_id
            """)

    /// The last deviceSequence of a device among a list's archived entries that were received at $3 or later.
    static let lastCounter = Statement(
        name: "calendar_last_counter",
        sql: """
            SELECT max(device_sequence)
            FROM archived_entry
            WHERE list_id = $1 AND device_id = $2 AND received_at >= $3
            """)

    /// Whether a list has, or had, an item.
    static let hadItem = Statement(
        name: "calendar_had_item",
        sql: """
            SELECT
                EXISTS (SELECT FROM entry WHERE list_id = $1 AND item_id = $2 AND operation = 'add')
                OR EXISTS (SELECT FROM archived_id WHERE list_id = $1 AND item_id = $2)
            """)

    // Of items that are gone, whose fields nothing else has. An item's name is set once, when it is added.
    /// The values of the field $3 with which these items were added.
    static let names = Statement(
        name: "calendar_names",
        sql: """
            SELECT item_id, fields ->> $3
            FROM entry
            WHERE list_id = $1 AND item_id = ANY ($2) AND operation = 'add' AND fields ->> $3 IS NOT NULL
            UNION
            SELECT gone.item_id, gone.fields ->> $3
            FROM archived_id AS id
            JOIN archived_entry AS gone
                ON gone.list_id = id.list_id AND gone.sequence = id.sequence AND gone.received_at = id.received_at
            WHERE id.list_id = $1 AND id.item_id = ANY ($2) AND gone.operation = 'add' AND gone.fields ->> $3 IS NOT NULL
            """)

    // Live entries have no index by item, so the database looks through those of the list. OFFSET 0 keeps the planner from
    // reading all that the list ever archived: the archive itself has no index by item.
    /// The retained entries about the item $2 up to the sequence $3, after $4, and at most $5 rows. An entry that was brought back
    /// appears once, at its first sequence.
    static let entriesOfItem = Statement(
        name: "calendar_entries_of_item",
        sql: """
            (
                SELECT archived.*
                FROM archived_id AS id
                CROSS JOIN LATERAL (
                    SELECT \(EntrySQL.sentColumns(of: "archived_entry"))
                    FROM archived_entry
                    WHERE list_id = $1 AND sequence = id.sequence AND received_at = id.received_at
                    OFFSET 0
                ) AS archived
                WHERE id.list_id = $1 AND id.item_id = $2 AND id.sequence <= $3 AND id.sequence > $4
            )
            UNION ALL
            (
                SELECT \(EntrySQL.sentColumns(of: "entry"))
                FROM entry
                WHERE list_id = $1 AND item_id = $2 AND sequence <= $3 AND sequence > $4
                    AND \(ArchiveSQL.isNotArchived)
            )
            ORDER BY sequence
            LIMIT $5
            """)

    static let all = [lists, changedItems, lastCounter, hadItem, names, entriesOfItem]
}
