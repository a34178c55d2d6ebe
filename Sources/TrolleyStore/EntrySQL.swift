import TrolleyPostgres

/// SQL about the journal.
enum EntrySQL {
    /// The columns of an entry, in the order that `ConfirmedEntry.init(row:from:)` reads them.
    static let columns = """
        entry.sequence, entry.entry_id, entry.operation, entry.item_id, entry.after_id, entry.fields, entry.batch_id,
        entry.cause, entry.reverts_id, entry.device_sequence, entry.author_id, entry.device_id, entry.made_at,
        entry.received_at
        """

    /// What stands under ids already, in whichever list.
    static let byID = Statement(
        name: "entry_by_id", sql: "SELECT \(columns), entry.list_id FROM entry WHERE entry_id = ANY ($1)")

    static let insert = Statement(
        name: "entry_insert",
        sql: """
            INSERT INTO entry (
                list_id, author_id, device_id, received_at, sequence, entry_id, operation, item_id, after_id, fields,
                batch_id, cause, reverts_id, device_sequence, made_at
            )
            SELECT $1, $2, $3, $4, new.*
            FROM unnest(
                $5::bigint[], $6::uuid[], $7::text[], $8::uuid[], $9::uuid[], $10::json[], $11::uuid[], $12::text[],
                $13::uuid[], $14::bigint[], $15::timestamptz[]
            ) AS new
            """)

    static let ofList = Statement(
        name: "entry_of_list", sql: "SELECT \(columns) FROM entry WHERE list_id = $1 ORDER BY sequence")

    static let all = [byID, insert, ofList]
}
