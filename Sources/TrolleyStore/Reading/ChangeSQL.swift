import TrolleyPostgres

/// SQL about a list's stream of changes.
enum ChangeSQL {
    /// The columns of a change: an entry's, or, where `event` is something, mostly nothing.
    private static let ofEntries = "\(EntrySQL.liveColumns), NULL::json AS event"
    private static let ofEvents = """
        event.sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, event.received_at, event.change
        """
    /// Their types.
    static let types = EntrySQL.types + [.json]

    // The limit stands in each part as well: the planner knows that most lists are short, and would read all of a long one to
    // sort it. A condition on what is outside stands in each part too: only there it is looked at before anything is read.
    private static func stretch(
        of list: String, after place: String, limit: String, where condition: String = ""
    ) -> String {
        """
        (
            SELECT \(ofEntries)
            FROM entry
            WHERE entry.list_id = \(list) AND entry.sequence > \(place) \(condition)
            ORDER BY sequence
            LIMIT \(limit)
        )
        UNION ALL
        (
            SELECT \(ofEvents)
            FROM event
            WHERE event.list_id = \(list) AND event.sequence > \(place) \(condition)
            ORDER BY sequence
            LIMIT \(limit)
        )
        ORDER BY sequence
        LIMIT \(limit)
        """
    }

    /// When what stands at a place was received, wherever it is now; null where nobody knows. A token says it too, so a place
    /// that was written anew, after a backup was restored, is told from the one that the token means.
    private static func mark(of place: String, on list: String = "list.id") -> String {
        """
        coalesce(
            (SELECT entry.received_at FROM entry WHERE entry.list_id = \(list) AND entry.sequence = \(place)),
            (SELECT event.received_at FROM event WHERE event.list_id = \(list) AND event.sequence = \(place)),
            (
                SELECT archived_id.received_at
                FROM archived_id
                WHERE archived_id.list_id = \(list) AND archived_id.sequence = \(place)),
            (
                SELECT returned_place.received_at
                FROM returned_place
                WHERE returned_place.list_id = \(list) AND returned_place.sequence = \(place)))
        """
    }

    /// A list with more bytes of fields than this is read in shorter stretches, so that no page has much more.
    private static let bytesOfPage = 3 << 20
    private static let changesOfLargeList = 500
    /// What a change may count for in bytes at the most, and what it counts for when an account's limit is used up.
    static let largestChange: Int64 = 4400
    static let usualChange: Int64 = 800

    /// How many changes are read of a list at the most, when `limit` are asked for.
    private static func most(of limit: String) -> String {
        """
        CASE WHEN list.bytes <= \(bytesOfPage) THEN \(limit)::bigint ELSE least(\(limit), \(changesOfLargeList)) END
        """
    }

    /// How a list stands, to whoever is on it. Together with ``page`` in one snapshot, so that heads and changes are of one
    /// moment, and who isn't on the list any more is sent nothing.
    static let head = Statement(
        name: "change_head",
        sql: """
            SELECT
                list.head, service.epoch, list.trail_from, \(mark(of: "$3", on: "$2")), member.role = 'owner',
                \(most(of: "$4"))
            FROM service
            CROSS JOIN list
            JOIN member ON member.list_id = list.id
            WHERE list.id = $2 AND member.account_id = $1 AND list.deleted_at IS NULL
            """)

    // The limit is worked out as in ``head``, of the same snapshot.
    /// What follows a place of a list's stream, so many at the most.
    static let page = Statement(
        name: "change_page",
        sql: """
            \(stretch(of: "$1", after: "$2", limit: "(SELECT \(most(of: "$3")) FROM list WHERE list.id = $1)"))
            """)

    // How lists stand for many who ask at the same time, each about one list and what follows a place of it; with what
    // follows, where that is no more than a few ($4). One row a change, or one without. LIMIT 1, here and below, and OFFSET 0
    // keep the planner from joining whole tables.
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
                SELECT \(ofEvents)
                FROM event
                WHERE event.list_id = list.id AND event.sequence > asked.after
                    AND list.head > asked.after AND list.head - asked.after <= $4
            ) AS change ON true
            ORDER BY asked.number, change.sequence
            """)

    // Lists are read in turn until those before have used the limit up: of the others only the heads are told. Without
    // that, somebody with a hundred long lists would have a hundred pages read for each that is sent. All in one
    // statement, so that heads and changes are of one moment.
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
                \(stretch(
                    of: "list.id", after: "wanted.after", limit: "wanted.most",
                    where: "AND list.head > wanted.after AND wanted.is_reached"))
            ) AS change ON true
            ORDER BY list.created_at, list.id, change.sequence
            """)

    // The lists of many who ask at the same time whether there is anything new: with the mark of each list's newest change,
    // and what the device that asks has last said of itself, where that need not be written again yet.
    static let headsOfMany = Statement(
        name: "change_heads_of_many",
        sql: """
            SELECT
                asked.number, report.content_hash, list.id, list.head, service.epoch, list.trail_from, list.mark,
                list.is_owned
            FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS asked (account_id, device_id, number)
            CROSS JOIN service
            LEFT JOIN LATERAL (
                SELECT
                    list.id, list.head, list.trail_from, list.created_at, \(mark(of: "list.head")) AS mark,
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

    // The same for one account, joined so that each shard of a Citus cluster can answer for its lists; with the lists' sizes, to work
    // out how much of them to read.
    static let headsOfAccount = Statement(
        name: "change_heads_of_account",
        sql: """
            SELECT
                list.id, list.head, service.epoch, list.trail_from,
                coalesce(
                    entry.received_at, event.received_at, archived_id.received_at, returned_place.received_at) AS mark,
                member.role = 'owner', list.bytes
            FROM member
            JOIN list ON list.id = member.list_id
            LEFT JOIN entry ON entry.list_id = list.id AND entry.sequence = list.head
            LEFT JOIN event ON event.list_id = list.id AND event.sequence = list.head
            LEFT JOIN archived_id ON archived_id.list_id = list.id AND archived_id.sequence = list.head
            LEFT JOIN returned_place ON returned_place.list_id = list.id AND returned_place.sequence = list.head
            CROSS JOIN service
            WHERE member.account_id = $1 AND list.deleted_at IS NULL
            ORDER BY list.created_at, list.id
            """)

    // What a device has last said of itself, where that need not be written again yet.
    static let report = Statement(
        name: "change_report",
        sql: """
            SELECT content_hash
            FROM device_report
            WHERE device_id = $1 AND reported_at > clock_timestamp() - \(ReportSQL.freshness)
            """)

    static let all = [head, page, headsOfAccount, report]

    /// For one server only: on a Citus cluster others stand in for them (``Topology``).
    static let forOneServer = [ofMany, ofAccount, headsOfMany]
}
