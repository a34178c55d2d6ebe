import TrolleyPostgres

/// SQL for event streams: the heads of listening devices' lists.
enum HeadSQL {
    /// The signed-in devices among the given ones.
    static let signedIn = Statement(
        name: "head_signed_in", sql: "SELECT id FROM device WHERE id = ANY ($1) AND token_hash IS NOT NULL")

    private static let heads = """
        SELECT
            member.account_id, list.id, list.head, (
                SELECT string_agg(DISTINCT presence.account_id::text COLLATE "C", ' ')
                FROM presence
                JOIN member AS other
                    ON other.list_id = presence.list_id AND other.account_id = presence.account_id
                WHERE presence.list_id = list.id AND presence.until > now()
                    AND presence.account_id <> member.account_id),
            read_mark.through, summary_state.notified_through, member.placed
        FROM member
        JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
        LEFT JOIN read_mark
            ON read_mark.list_id = member.list_id AND read_mark.account_id = member.account_id
        LEFT JOIN summary_state
            ON summary_state.list_id = member.list_id AND summary_state.account_id = member.account_id
        """

    /// For each account its lists: the head, who else has the list open (a text that is only compared), how far the
    /// account has read, how far summaries go, and how often the person has changed its place. Membership is part of the statement, so nobody hears of a list that
    /// they are not on. It is per account, not per device: all devices of one account have the same lists.
    static let ofAccounts = Statement(name: "head_of_accounts", sql: "\(heads) WHERE member.account_id = ANY ($1)")

    /// The same of these lists, for all accounts that are on them.
    static let ofLists = Statement(name: "head_of_lists", sql: "\(heads) WHERE member.list_id = ANY ($1)")

    /// The accounts on lists.
    static let people = Statement(
        name: "head_people", sql: "SELECT list_id, account_id FROM member WHERE list_id = ANY ($1)")

    /// The authors of new changes on lists: for each device its newest change, and one row without a device for other
    /// changes. OFFSET 0 keeps the planner from joining whole tables.
    static let authors = Statement(
        name: "head_authors",
        sql: """
            SELECT known.list_id, change.device_id, max(change.sequence)
            FROM unnest($1::uuid[], $2::bigint[]) AS known (list_id, sequence)
            CROSS JOIN LATERAL (
                SELECT entry.device_id, entry.sequence
                FROM entry
                WHERE entry.list_id = known.list_id AND entry.sequence > known.sequence
                UNION ALL
                SELECT NULL, event.sequence
                FROM event
                WHERE event.list_id = known.list_id AND event.sequence > known.sequence
                OFFSET 0
            ) AS change
            GROUP BY known.list_id, change.device_id
            """)

    /// The same for one list.
    static let authorsOfList = Statement(
        name: "head_authors_of_list",
        sql: """
            SELECT $1::uuid, change.device_id, max(change.sequence)
            FROM (
                SELECT entry.device_id, entry.sequence
                FROM entry
                WHERE entry.list_id = $1 AND entry.sequence > $2
                UNION ALL
                SELECT NULL, event.sequence
                FROM event
                WHERE event.list_id = $1 AND event.sequence > $2
            ) AS change
            GROUP BY change.device_id
            """)

    /// The heads of an account's lists ($2: which lists; null: all).
    static let positions = Statement(
        name: "head_positions",
        sql: """
            SELECT list.id, list.head, service.epoch
            FROM service
            CROSS JOIN member
            JOIN list ON list.id = member.list_id
            WHERE member.account_id = $1 AND ($2::uuid[] IS NULL OR member.list_id = ANY ($2)) AND list.deleted_at IS NULL
            """)

    static let notify = Statement(
        name: "head_notify",
        sql: "SELECT pg_notify('trolley_changes', payload) FROM unnest($1::text[]) AS payload")

    static let all = [signedIn, ofAccounts, ofLists, people, authorsOfList, positions, notify]

    /// Only for a single server; a Citus cluster uses other statements (``Topology``).
    static let forOneServer = [authors]
}
