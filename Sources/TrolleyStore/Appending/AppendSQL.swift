import TrolleyPostgres

/// SQL that appends: to several lists by one statement, or to one list that needs a separate check.
enum AppendSQL {
    // These statements test for rows by value, (SELECT true … LIMIT 1). An EXISTS would become a join, and a join that
    // was planned while a table was empty reads the whole table.

    // Locks the uploads' lists and selects the uploads that can be appended as they are: every entry is new and nothing
    // stands in the way. Leaves out all other uploads, and lists that another transaction has locked. The statement's
    // snapshot is older than its locks, so a list's head must be the same in both: everything that adds to a list or
    // changes its people moves the head. The result is the parts of a WITH; they use the binds $1 to $12.
    /// - Parameters:
    ///   - sent: more columns for `sent`.
    ///   - bound: returns a condition that the column is one of the lists, or an empty text.
    private static func checks(sent: String = "", _ bound: (String) -> String) -> String {
        """
        locked AS MATERIALIZED (
            SELECT
                list.id, list.head, asked.account_id, asked.device_id, asked.entries, list.live_entries, list.bytes,
                asked.bytes AS more_bytes
            FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $6::bigint[])
                AS asked (list_id, account_id, device_id, entries, bytes)
            JOIN list ON list.id = asked.list_id
            WHERE list.deleted_at IS NULL \(bound("list.id"))
            FOR UPDATE OF list SKIP LOCKED
        ), sent AS MATERIALIZED (
            -- Arrays of the same length. In FROM, each would be a table first, which costs more than twice as much.
            SELECT
                unnest($9::uuid[]) AS list_id, unnest($10::uuid[]) AS entry_id, unnest($11::uuid[]) AS item_id,
                unnest($12::uuid[]) AS after_id\(sent)
        ), others AS MATERIALIZED (
            -- The lists that need a closer look. Materialized, or it would be computed for each list again (decision 1501).
            SELECT sent.list_id
            FROM sent
            WHERE (
                    SELECT true
                    FROM entry
                    WHERE entry.list_id = sent.list_id AND entry.entry_id = sent.entry_id \(bound("entry.list_id"))
                    LIMIT 1)
                OR (
                    SELECT true
                    FROM archived_id
                    WHERE archived_id.list_id = sent.list_id AND archived_id.entry_id = sent.entry_id
                        \(bound("archived_id.list_id"))
                    LIMIT 1)
            UNION ALL
            -- The lists' items that compression has removed. Most lists have none, which is found once a list, not once an
            -- item. Each of the two conditions on an item has an index. Without it, the upload to a long list would hold the
            -- locks of all others of the batch.
            SELECT compressed.id
            FROM (
                SELECT locked.id
                FROM locked
                WHERE (
                        SELECT true
                        FROM archived_id
                        WHERE archived_id.list_id = locked.id \(bound("archived_id.list_id"))
                        LIMIT 1)
                OFFSET 0
            ) AS compressed
            CROSS JOIN LATERAL (
                SELECT unnest(ARRAY[sent.item_id, sent.after_id]) AS item_id
                FROM sent
                WHERE sent.list_id = compressed.id
                OFFSET 0
            ) AS named
            WHERE (
                    SELECT true
                    FROM archived_id
                    WHERE archived_id.list_id = compressed.id AND archived_id.item_id = named.item_id
                        \(bound("archived_id.list_id"))
                    LIMIT 1)
                AND (
                    SELECT true
                    FROM entry
                    WHERE entry.list_id = compressed.id AND entry.item_id = named.item_id AND entry.operation = 'add'
                        \(bound("entry.list_id"))
                    LIMIT 1) IS NULL
        ), fit AS MATERIALIZED (
            SELECT
                locked.id, locked.head, locked.account_id, locked.device_id, locked.entries, locked.more_bytes,
                member.role, member.permission,
                date_trunc('milliseconds', clock_timestamp()) AS received_at
            FROM locked
            JOIN list AS seen ON seen.id = locked.id AND seen.head = locked.head
            JOIN member ON member.list_id = locked.id AND member.account_id = locked.account_id
            WHERE member.permission = 'readWrite' \(bound("seen.id")) \(bound("member.list_id"))
                AND ($5::bigint IS NULL OR locked.live_entries + locked.entries <= $5)
                -- The bytes of all lists of an account are counted when a list passes a multiple of $8, by the statements for
                -- single uploads.
                AND (
                    locked.more_bytes = 0
                    OR ($7::bigint IS NULL OR locked.bytes + locked.more_bytes <= $7)
                    AND ($8::bigint IS NULL OR locked.bytes / $8 = (locked.bytes + locked.more_bytes) / $8))
                AND locked.id NOT IN (SELECT list_id FROM others)
        ), advanced AS (
            -- Marks changes that compression has not examined and, if others are on the list, that no summary covers.
            UPDATE list
            SET head = fit.head + fit.entries, mark_of = fit.head + fit.entries, mark = fit.received_at,
                live_entries = list.live_entries + fit.entries, bytes = list.bytes + fit.more_bytes,
                uncompressed_since = coalesce(list.uncompressed_since, fit.received_at),
                summary_due = \(summaryDue("fit.received_at", bound("member.list_id")))
            FROM fit
            WHERE list.id = fit.id \(bound("list.id"))
        )
        """
    }

    // `least` ignores null, `greatest` too.
    /// When the list is due for summaries: now if it wasn't due yet, and not before `alerts_from` if a person on it gets
    /// alerts. Nobody needs one of a list with one person.
    private static func summaryDue(_ receivedAt: String, _ bound: String) -> String {
        """
        CASE
            WHEN (SELECT true FROM member WHERE member.list_id = list.id \(bound) OFFSET 1 LIMIT 1) THEN least(
                coalesce(list.summary_due, \(receivedAt)),
                CASE WHEN list.alerts_from IS NOT NULL THEN greatest(list.alerts_from, \(receivedAt)) END)
            ELSE list.summary_due
        END
        """
    }

    /// Returns one row for each selected list.
    /// - Parameter bound: as in ``checks(_:)``.
    private static func outcome(_ bound: (String) -> String) -> String {
        """
        SELECT
            fit.id, fit.head, (SELECT epoch FROM service), fit.received_at, fit.role, fit.permission,
            ARRAY(SELECT account_id FROM member WHERE member.list_id = fit.id \(bound("member.list_id")))
        FROM fit
        """
    }

    // Checks and appends in one statement.
    static let batch = Statement(
        name: "append_at_once",
        sql: """
            WITH \(checks(sent: """
                , unnest($13::bigint[]) AS place, unnest($14::text[]) AS operation, unnest($15::json[]) AS fields,
                unnest($16::uuid[]) AS batch_id, unnest($17::text[]) AS cause, unnest($18::uuid[]) AS reverts_id,
                unnest($19::bigint[]) AS device_sequence, unnest($20::bigint[]) AS age
                """) { _ in "" }), inserted AS (
                INSERT INTO entry (
                    list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id,
                    device_sequence, author_id, device_id, made_at, received_at
                )
                SELECT
                    fit.id, fit.head + sent.place, sent.entry_id, sent.operation, sent.item_id, sent.after_id, sent.fields,
                    sent.batch_id, sent.cause, sent.reverts_id, sent.device_sequence, fit.account_id, fit.device_id,
                    fit.received_at - sent.age * interval '1 millisecond', fit.received_at
                FROM sent
                JOIN fit ON fit.id = sent.list_id
            )
            \(outcome { _ in "" })
            """)

    // The same in two statements, for lists in one shard of a Citus cluster. Citus passes a statement on to the shard
    // if it binds each table to lists of the shard, and if no part of a WITH inserts. Both statements run in one
    // transaction.
    private static func isOfTheLists(_ column: String) -> String { "AND \(column) = ANY ($1)" }

    static let advanceInShard = Statement(
        name: "append_advance_in_shard",
        sql: """
            WITH \(checks(isOfTheLists))
            \(outcome(isOfTheLists))
            """)

    // Locks a list whose people are known (``KnownLists``), unless another transaction holds it. It reads one table by
    // its key, so Citus needs no planner for it.
    static let lockFree = Statement(
        name: "append_lock_free",
        sql: """
            SELECT head, live_entries, bytes, clock_timestamp()
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
            FOR UPDATE SKIP LOCKED
            """)

    // Whether compression has archived any of these ids or items. The insert itself detects an id that is live.
    static let archivedOf = Statement(
        name: "append_archived_of",
        sql: "SELECT true FROM archived_id WHERE list_id = $1 AND (entry_id = ANY ($2) OR item_id = ANY ($3)) LIMIT 1")

    // The same three for several lists of one shard, and the epoch, which takes a statement of its own for one list. Planning it
    // takes longer than one of the others, but less than two.
    static let lockFreeOfMany = Statement(
        name: "append_lock_free_of_many",
        sql: """
            SELECT id, head, live_entries, bytes, clock_timestamp(), (SELECT epoch FROM service)
            FROM list
            WHERE id = ANY ($1) AND deleted_at IS NULL
            FOR UPDATE SKIP LOCKED
            """)

    // The lists among the given ones of which compression has archived any of the ids or items, no matter which list
    // they were sent to.
    static let archivedOfMany = Statement(
        name: "append_archived_of_many",
        sql: """
            SELECT DISTINCT list_id
            FROM archived_id
            WHERE list_id = ANY ($1) AND (entry_id = ANY ($2) OR item_id = ANY ($3))
            """)

    static let advanceMany = Statement(
        name: "append_advance_many",
        sql: """
            UPDATE list
            SET head = appended.head, mark_of = appended.head, mark = appended.received_at,
                uncompressed_since = coalesce(list.uncompressed_since, appended.received_at),
                summary_due = \(summaryDue("appended.received_at", "AND member.list_id = ANY ($1)")),
                bytes = list.bytes + appended.bytes, live_entries = list.live_entries + appended.entries
            FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::bigint[])
                AS appended (list_id, head, received_at, bytes, entries)
            WHERE list.id = ANY ($1) AND list.id = appended.list_id
            """)

    // $1 to $5: the result of ``advanceInShard`` for the selected lists; then the entries that were sent to them.
    /// - Parameter bound: how the statement names the lists' shard.
    private static func insert(_ list: String, bound: String) -> String {
        """
        INSERT INTO entry (
            list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id,
            device_sequence, author_id, device_id, made_at, received_at
        )
        SELECT
            \(list), fit.head + sent.place, sent.entry_id, sent.operation, sent.item_id, sent.after_id, sent.fields,
            sent.batch_id, sent.cause, sent.reverts_id, sent.device_sequence, fit.account_id, fit.device_id,
            fit.received_at - sent.age * interval '1 millisecond', fit.received_at
        FROM (
            SELECT
                unnest($6::uuid[]) AS list_id, unnest($7::uuid[]) AS entry_id, unnest($8::uuid[]) AS item_id,
                unnest($9::uuid[]) AS after_id, unnest($10::bigint[]) AS place, unnest($11::text[]) AS operation,
                unnest($12::json[]) AS fields, unnest($13::uuid[]) AS batch_id, unnest($14::text[]) AS cause,
                unnest($15::uuid[]) AS reverts_id, unnest($16::bigint[]) AS device_sequence,
                unnest($17::bigint[]) AS age
        ) AS sent
        JOIN unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::uuid[], $5::uuid[])
            AS fit (list_id, head, received_at, account_id, device_id) ON fit.list_id = sent.list_id
        \(bound)
        """
    }

    static let insertInShard = Statement(
        name: "append_insert_in_shard",
        sql: insert("list.id", bound: "JOIN list ON list.id = fit.list_id WHERE list.id = ANY ($1)"))

    // Reads arrays alone, so Citus makes the rows and copies them, and plans nothing for each shard as for ``insertInShard``. On
    // the node the copy is local; from elsewhere it would be sent, and committed in two phases.
    /// Does the same as ``insertInShard``, on the node that has the shard.
    static let insertOnNode = Statement(name: "append_insert_on_node", sql: insert("fit.list_id", bound: ""))

    // Reads the members after taking the lock, because removing somebody takes the same lock.
    static let members = Statement(
        name: "append_members", sql: "SELECT account_id, role, permission FROM member WHERE list_id = $1")

    /// The live entries of a list among the given ids.
    static let existing = Statement(
        name: "append_taken",
        sql: """
            SELECT \(EntrySQL.sentColumns(of: "entry"))
            FROM entry
            WHERE list_id = $1 AND entry_id = ANY ($2)
            """)

    // Under the list's lock, so that no other process takes the numbers at the same time.
    /// Whether a device has appended an entry with this number ($4) or a higher one since the list's head was $2.
    static let numbersTaken = Statement(
        name: "append_numbers_taken",
        sql: """
            SELECT true
            FROM entry
            WHERE list_id = $1 AND sequence > $2 AND device_id = $3 AND device_sequence >= $4
            LIMIT 1
            """)

    // The live entries and the bytes of one list.
    static let size = Statement(
        name: "append_size", sql: "SELECT live_entries, bytes, owner_id FROM list WHERE id = $1")

    // The bytes of all lists of one owner.
    static let bytesOfOwner = Statement(
        name: "append_bytes_of_owner",
        sql: """
            SELECT coalesce(sum(list.bytes), 0)::bigint
            FROM member
            JOIN list ON list.id = member.list_id
            WHERE member.account_id = $1 AND member.role = 'owner' AND list.deleted_at IS NULL
            """)

    // The items among the given ones that compression has removed.
    static let purgedItems = Statement(
        name: "append_purged_items",
        sql: """
            SELECT DISTINCT named.item_id
            FROM unnest($2::uuid[]) AS named (item_id)
            WHERE (
                    SELECT true
                    FROM archived_id
                    WHERE archived_id.list_id = $1 AND archived_id.item_id = named.item_id
                    LIMIT 1)
                AND (
                    SELECT true
                    FROM entry
                    WHERE entry.list_id = $1 AND entry.item_id = named.item_id AND entry.operation = 'add'
                    LIMIT 1) IS NULL
            """)

    // Takes columns from the list's row, as ``EventSQL/insert`` does.
    static let insert = Statement(
        name: "append_insert",
        sql: """
            INSERT INTO entry (
                list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id,
                device_sequence, author_id, device_id, made_at, received_at, resolved, resolved_after_id
            )
            SELECT list.id, sent.*
            FROM list
            CROSS JOIN unnest(
                $2::bigint[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::json[], $8::uuid[], $9::text[],
                $10::uuid[], $11::bigint[], $12::uuid[], $13::uuid[], $14::timestamptz[], $15::timestamptz[],
                $16::boolean[], $17::uuid[]
            ) AS sent
            WHERE list.id = $1
            """)

    // Marks the list as not fully compressed, and its changes as not covered by a summary.
    static let advance = Statement(
        name: "append_advance",
        sql: """
            UPDATE list
            SET head = $2, mark_of = $2, mark = $3, uncompressed_since = coalesce(uncompressed_since, $3),
                bytes = bytes + $4, live_entries = live_entries + $5, summary_due = \(summaryDue("$3", "AND member.list_id = $1"))
            WHERE id = $1
            """)

    static let all = [
        lockFree, archivedOf, members, existing, numbersTaken, size, bytesOfOwner, purgedItems, insert, advance,
    ]

    /// Only for a single server; a Citus cluster uses other statements (``Topology``).
    static let forOneServer = [batch]

    /// Statements whose arrays hold lists of one shard.
    static let ofOneShard = [
        advanceInShard, insertInShard, insertOnNode, lockFreeOfMany, archivedOfMany, advanceMany,
    ]
}
