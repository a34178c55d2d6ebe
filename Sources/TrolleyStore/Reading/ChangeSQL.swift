import TrolleyPostgres

/// SQL about a list's stream of changes.
enum ChangeSQL {
    /// The columns of a change: those of an entry, or mostly null for an event. `event` is its JSON. A state of the share
    /// may have only `difference`, from the state before. Both are null for an event that is too large: the range ends
    /// before it.
    private static let ofEntries = "\(EntrySQL.liveColumns), NULL::json AS event, NULL::json AS difference"
    private static func ofEvents(_ event: String, _ difference: String = "NULL::json") -> String {
        """
        event.sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, event.received_at,
        \(event) AS event, \(difference) AS difference
        """
    }
    /// Their types.
    static let types = EntrySQL.types + [.json, .json]

    // The size of an event's JSON. Rows from before it was stored have the compressed size of the column: decompressing an
    // event to measure it would cost what the limit is to save.
    private static let bytesOfEvent = "coalesce(event.bytes, 4 * pg_column_size(event.change))"

    /// An event as it is read together with those of other lists: only if it is small and stored whole.
    private static let ofSmallEvents = ofEvents(
        "CASE WHEN event.base IS NULL AND \(bytesOfEvent) <= \(RecordedShare.largestWhole) THEN event.change END")

    /// The largest number of bytes of the events in a page, without the last.
    static let eventBytesOfPage = 1 << 20

    // A state that is stored whole has a difference of `null` here if later differences may follow from it.
    /// The events of one list's page. There is always at least one, so that the page gets on.
    private static let ofPage = ofEvents(
        "CASE WHEN event.base IS NULL AND event.before <= \(eventBytesOfPage) THEN event.change END",
        """
        CASE
            WHEN event.before > \(eventBytesOfPage) THEN NULL
            WHEN event.base IS NOT NULL THEN event.difference
            WHEN event.difference IS NOT NULL THEN 'null'::json
        END
        """)

    private static func entries(of list: String, after place: String, limit: String, where condition: String) -> String
    {
        """
        SELECT \(ofEntries)
        FROM entry
        WHERE entry.list_id = \(list) AND entry.sequence > \(place) \(condition)
        ORDER BY sequence
        LIMIT \(limit)
        """
    }

    // Each part repeats the limit: the planner assumes that lists are short, and would read all of a long list to sort
    // it. Each part also repeats outer conditions, because only there they are tested before anything is read.
    private static func changeRange(
        of list: String, after place: String, limit: String, where condition: String
    ) -> String {
        """
        (
            \(entries(of: list, after: place, limit: limit, where: condition))
        )
        UNION ALL
        (
            SELECT \(ofSmallEvents)
            FROM event
            WHERE event.list_id = \(list) AND event.sequence > \(place) \(condition)
            ORDER BY sequence
            LIMIT \(limit)
        )
        ORDER BY sequence
        LIMIT \(limit)
        """
    }

    // The same for one list, with events of any size, as many as have room.
    private static func page(of list: String, after place: String, limit: String) -> String {
        """
        (
            \(entries(of: list, after: place, limit: limit, where: ""))
        )
        UNION ALL
        (
            SELECT \(ofPage)
            FROM (
                SELECT
                    event.sequence, event.received_at, event.change, event.difference, event.base,
                    coalesce(
                        sum(event.bytes) OVER (
                            ORDER BY event.sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                        0) AS before
                FROM (
                    SELECT
                        event.sequence, event.received_at, event.change, event.difference, event.base,
                        \(bytesOfEvent) AS bytes
                    FROM event
                    WHERE event.list_id = \(list) AND event.sequence > \(place)
                    ORDER BY event.sequence
                    LIMIT \(limit)
                ) AS event
            ) AS event
            ORDER BY sequence
        )
        ORDER BY sequence
        LIMIT \(limit)
        """
    }

    /// When the change at a sequence was received, wherever it is now; null where that is unknown. A token contains
    /// this time too. So after a restore, a sequence with a new change differs from the one that the token refers to.
    /// Mostly the sequence is the list's head, whose mark is in the list's row.
    private static func mark(of place: String, in list: String = "list.id") -> String {
        """
        CASE WHEN list.mark_of = \(place) THEN list.mark ELSE coalesce(\(lookedUp(place, of: list))) END
        """
    }

    /// The places where the time of a change may be, separated by commas.
    static func lookedUp(_ place: String, of list: String = "list.id") -> String {
        ["entry", "event", "archived_id", "returned_place"].map { table in
            """
            (
                SELECT \(table).received_at
                FROM \(table)
                WHERE \(table).list_id = \(list) AND \(table).sequence = \(place))
            """
        }.joined(separator: ", ")
    }

    /// Two columns: the mark of a list's head, and whether the list's row has it. It has none where a process of an earlier
    /// version has moved the head, or before the backfill `list_mark` was there; then the list is read by itself.
    private static let markOfHead = """
        CASE WHEN list.mark_of = list.head THEN list.mark END AS mark,
        list.head = 0 OR list.mark_of IS NOT DISTINCT FROM list.head AS is_marked
        """

    /// A list with more bytes of fields than this is read in shorter pages, so that no page has much more.
    private static let bytesOfPage = 3 << 20
    private static let changesOfLargeList = 500
    /// The memory of a page, held before it is read: its fields, its events, and 400 bytes for each of 5,000 rows. One that
    /// takes more holds the rest afterwards.
    static let memoryOfPage = bytesOfPage + eventBytesOfPage + 5000 * 400
    /// The largest number of bytes that a change counts for; also the weight of each when an account's limit is used
    /// up.
    static let largestChange: Int64 = 4400
    static let usualChange: Int64 = 800

    /// The number of changes to read of a list when `limit` are asked for.
    private static func most(of limit: String) -> String {
        """
        CASE WHEN list.bytes <= \(bytesOfPage) THEN \(limit)::bigint ELSE least(\(limit), \(changesOfLargeList)) END
        """
    }

    /// The state of a list, for a person on it. Runs with ``page`` in one snapshot, so that heads and changes belong
    /// together, and a person who is no longer on the list receives nothing.
    static let head = Statement(
        name: "change_head",
        sql: """
            SELECT
                list.head, service.epoch, list.trail_from, \(mark(of: "$3", in: "$2")), member.role = 'owner',
                \(most(of: "$4"))
            FROM service
            CROSS JOIN list
            JOIN member ON member.list_id = list.id
            WHERE list.id = $2 AND member.account_id = $1 AND list.deleted_at IS NULL
            """)

    // Computes the limit as ``head`` does, in the same snapshot.
    /// The changes of a list's stream after a sequence, up to the limit.
    static let page = Statement(
        name: "change_page",
        sql: """
            \(page(of: "$1", after: "$2", limit: "(SELECT \(most(of: "$3")) FROM list WHERE list.id = $1)"))
            """)

    // For many concurrent requests, each about one list and a sequence: the list's state, and the changes after the
    // sequence if there are at most $4. One row for each change, or one row without a change. LIMIT 1, here and below,
    // and OFFSET 0 keep the planner from joining whole tables.
    static let ofMany = Statement(
        name: "change_of_many",
        sql: """
            SELECT asked.number, list.head, service.epoch, list.trail_from, list.mark, list.is_owned, change.*
            FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) WITH ORDINALITY
                AS asked (account_id, list_id, after, number)
            CROSS JOIN LATERAL (
                SELECT
                    list.id, list.head, list.trail_from, \(mark(of: "asked.after")) AS mark,
                    member.role = 'owner' AS is_owned
                FROM list
                JOIN member ON member.list_id = list.id
                WHERE list.id = asked.list_id AND list.deleted_at IS NULL AND member.account_id = asked.account_id
                LIMIT 1
            ) AS list
            CROSS JOIN service
            LEFT JOIN LATERAL (
                SELECT \(ofEntries)
                FROM entry
                WHERE entry.list_id = list.id AND entry.sequence > asked.after
                    AND list.head > asked.after AND list.head - asked.after <= $4
                UNION ALL
                SELECT \(ofSmallEvents)
                FROM event
                WHERE event.list_id = list.id AND event.sequence > asked.after
                    AND list.head > asked.after AND list.head - asked.after <= $4
            ) AS change ON true
            ORDER BY asked.number, change.sequence
            """)

    // Reads lists in turn until the limit is used up; of the remaining lists it returns only the heads. Otherwise an
    // account with a hundred long lists would have a hundred pages read for each page that is sent. It is one
    // statement, so that heads and changes belong together.
    static let ofAccount = Statement(
        name: "change_of_account",
        sql: """
            SELECT
                list.id, list.head, service.epoch, list.trail_from, list.mark, list.is_owned, wanted.is_reached, wanted.most,
                change.*
            FROM service
            CROSS JOIN (
                SELECT
                    list.id, list.head, list.trail_from, list.created_at, member.role = 'owner' AS is_owned,
                    coalesce(token.after, 0) AS after,
                    \(mark(of: "token.after")) AS mark, list.bytes,
                    -- Large changes count for several.
                    coalesce(
                        sum(
                            greatest(
                                list.head - coalesce(token.after, 0),
                                least(list.bytes, (list.head - coalesce(token.after, 0)) * \(largestChange)) / \(usualChange),
                                0)
                        ) OVER (
                            ORDER BY list.created_at, list.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                        0) AS used
                FROM member
                JOIN list ON list.id = member.list_id
                LEFT JOIN unnest($2::uuid[], $4::bigint[]) AS token (list_id, after) ON token.list_id = list.id
                WHERE member.account_id = $1 AND list.deleted_at IS NULL
            ) AS list
            CROSS JOIN LATERAL (
                SELECT list.after, list.used < $3 AS is_reached, \(most(of: "$3")) AS most
            ) AS wanted
            LEFT JOIN LATERAL (
                \(changeRange(
                    of: "list.id", after: "wanted.after", limit: "wanted.most",
                    where: "AND list.head > wanted.after AND wanted.is_reached"))
            ) AS change ON true
            ORDER BY list.created_at, list.id, change.sequence
            """)

    // The commonest question: it looks nothing up but the lists' rows.
    // For many concurrent requests for new changes: the accounts' lists with the mark of each list's newest change, and
    // the hash of the device's last report, unless the report must be written again.
    static let headsOfMany = Statement(
        name: "change_heads_of_many",
        sql: """
            SELECT
                asked.number, report.content_hash, list.id, list.head, service.epoch, list.trail_from, list.mark,
                list.is_owned, list.is_marked
            FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS asked (account_id, device_id, number)
            CROSS JOIN service
            LEFT JOIN LATERAL (
                SELECT
                    list.id, list.head, list.trail_from, list.created_at, \(markOfHead),
                    member.role = 'owner' AS is_owned
                FROM member
                JOIN list ON list.id = member.list_id
                WHERE member.account_id = asked.account_id AND list.deleted_at IS NULL
                OFFSET 0
            ) AS list ON true
            LEFT JOIN LATERAL (
                SELECT device_report.content_hash
                FROM device_report
                WHERE device_report.device_id = asked.device_id
                    AND device_report.reported_at > clock_timestamp() - \(ReportSQL.freshness)
                LIMIT 1
            ) AS report ON true
            ORDER BY asked.number, list.created_at, list.id
            """)

    // The same for one account, joined so that each shard of a Citus cluster can answer for its lists. It includes the
    // lists' sizes, from which the number of changes to read is computed.
    static let headsOfAccount = Statement(
        name: "change_heads_of_account",
        sql: """
            SELECT
                list.id, list.head, service.epoch, list.trail_from, list.mark, list.is_owned, list.bytes, list.is_marked
            FROM (
                SELECT
                    list.id, list.head, list.trail_from, list.created_at, list.bytes, \(markOfHead),
                    member.role = 'owner' AS is_owned
                FROM member
                JOIN list ON list.id = member.list_id
                WHERE member.account_id = $1 AND list.deleted_at IS NULL
            ) AS list
            CROSS JOIN service
            ORDER BY list.created_at, list.id
            """)

    // The hash of the device's last report, unless the report must be written again.
    static let report = Statement(
        name: "change_report",
        sql: """
            SELECT content_hash
            FROM device_report
            WHERE device_id = $1 AND reported_at > clock_timestamp() - \(ReportSQL.freshness)
            """)

    static let all = [head, page, headsOfAccount, report]

    /// Only for a single server; a Citus cluster uses other statements (``Topology``).
    static let forOneServer = [ofMany, ofAccount, headsOfMany]
}
