import TrolleyJournal
import TrolleyPostgres

/// SQL about archived entries: their ids, which stay for ever, and the entries themselves, which stay as long as the
/// Activity is retained.
enum ArchiveSQL {
    /// Whether the Activity lacks an `entry` of the list `$1`. An entry that was brought back is in both tables. A NOT EXISTS would
    /// become a join (``AppendSQL``), which, planned while the archive was empty, reads all of the list's archived ids for each
    /// entry.
    static let isNotArchived = """
        (
            SELECT true
            FROM archived_id AS id
            WHERE id.list_id = $1 AND id.entry_id = entry.entry_id
                AND id.received_at >= (SELECT activity_from FROM service)
            LIMIT 1) IS NULL
        """

    /// The ids among the given ones that a list's archived entries have.
    static let byID = Statement(
        name: "archive_by_id",
        sql: """
            SELECT entry_id, sequence, made_at, received_at
            FROM archived_id
            WHERE list_id = $1 AND entry_id = ANY ($2)
            """)

    // The entries with archived ids, as they were sent. The times let the planner skip the other months.
    static let entries = Statement(
        name: "archive_entries",
        sql: """
            SELECT \(EntrySQL.sentColumns(of: "archived_entry"))
            FROM archived_entry
            WHERE list_id = $1 AND sequence = ANY ($2) AND received_at >= $3 AND received_at <= $4
            """)

    // Three statements that together archive live entries, under the list's lock: the ids stay taken (an entry that was
    // brought back keeps its first place), the entries go to the Activity as far as that is retained, and
    // `EntrySQL.delete` removes them.
    static let keepIDs = Statement(
        name: "archive_keep_ids",
        sql: """
            INSERT INTO archived_id (list_id, sequence, entry_id, item_id, made_at, received_at)
            SELECT list_id, sequence, entry_id, item_id, made_at, received_at
            FROM entry
            WHERE list_id = $1 AND entry_id = ANY ($2)
            ON CONFLICT (list_id, entry_id) DO NOTHING
            """)

    // Looks up an id's first place separately for each entry, because a join would read everything that the list ever
    // archived. The start of the retention ($3) is a bind, because Citus would ask all shards for a reference table.
    static let keepEntries = Statement(
        name: "archive_keep_entries",
        sql: """
            INSERT INTO archived_entry (
                sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id, device_sequence,
                author_id, device_id, made_at, received_at, list_id
            )
            SELECT \(EntrySQL.sentColumns(of: "entry")), entry.list_id
            FROM entry
            WHERE entry.list_id = $1 AND entry.entry_id = ANY ($2)
                AND entry.sequence = (
                    SELECT id.sequence
                    FROM archived_id AS id
                    WHERE id.list_id = $1 AND id.entry_id = entry.entry_id)
                AND ($3::timestamptz IS NULL OR entry.received_at >= $3)
            """)

    // Whether a live entry is archived for the first time. An entry that was brought back (`EntrySQL.restoreEntries`) got an
    // anchor then, and its id and entry are in the archive already. So only the ids of entries with an anchor are
    // looked up, one by one, because a join might read the whole archive. (A statement doesn't see the ids that it
    // writes itself.)
    private static let isFirst = """
        (
            NOT gone.resolved OR (
                SELECT id.sequence
                FROM archived_id AS id
                WHERE id.list_id = gone.list_id AND id.entry_id = gone.entry_id) IS NULL)
        """

    // The three in one statement, for many lists: each entry is read once. (Citus allows no such WITH over several
    // shards; there each list goes alone.)
    static let archive = Statement(
        name: "archive_together",
        sql: """
            WITH gone AS (
                DELETE FROM entry
                USING unnest($1::uuid[], $2::bigint[]) AS gone (list_id, sequence)
                WHERE entry.list_id = gone.list_id AND entry.sequence = gone.sequence
                RETURNING entry.*
            ), kept AS (
                INSERT INTO archived_id (list_id, sequence, entry_id, item_id, made_at, received_at)
                SELECT list_id, sequence, entry_id, item_id, made_at, received_at
                FROM gone
                WHERE \(isFirst)
            ), freed AS (
                UPDATE list
                SET bytes = greatest(0, list.bytes - freed.bytes),
                    live_entries = greatest(0, list.live_entries - freed.entries)
                FROM (
                    SELECT
                        list_id, coalesce(sum(octet_length(fields::text)), 0) AS bytes, count(*) AS entries
                    FROM gone
                    GROUP BY list_id
                ) AS freed
                WHERE list.id = freed.list_id
            )
            INSERT INTO archived_entry (
                sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id, device_sequence,
                author_id, device_id, made_at, received_at, list_id
            )
            SELECT \(EntrySQL.sentColumns(of: "gone")), gone.list_id
            FROM gone
            WHERE gone.received_at >= (SELECT activity_from FROM service)
                AND \(isFirst)
            """)

    static let deleteIDs = Statement(
        name: "archived_id_delete_of_list", sql: "DELETE FROM archived_id WHERE list_id = $1")

    static let deleteReturnedPlaces = Statement(
        name: "returned_place_delete_of_list", sql: "DELETE FROM returned_place WHERE list_id = $1")

    /// The retention of the Activity, and whether the list is older than its start.
    static let retained = Statement(
        name: "archive_retained",
        sql: """
            SELECT
                nullif(service.activity_from, '-infinity'),
                EXISTS (
                    SELECT FROM archived_id
                    WHERE archived_id.list_id = $1 AND archived_id.received_at < service.activity_from)
            FROM service
            """)

    static let all = [byID, entries, keepIDs, keepEntries, deleteIDs, deleteReturnedPlaces, retained]

    /// Only for a single server; a Citus cluster uses other statements (``Topology``).
    static let forOneServer = [archive]
}

extension ArchiveSQL {
    /// The statements that archive these live entries of a list.
    /// - Parameter retained: the start of the Activity's retention; nil: everything is kept.
    static func archive(_ ids: [EntryID], of list: ListID, retainedFrom retained: Timestamp?) -> [Query] {
        [
            .execute(keepIDs, [list, ids]), .execute(keepEntries, [list, ids, retained]),
            .execute(EntrySQL.delete, [list, ids]),
        ]
    }
}
