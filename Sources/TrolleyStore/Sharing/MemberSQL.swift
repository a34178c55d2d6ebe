import TrolleyPostgres

/// SQL about members and former members of lists.
enum MemberSQL {
    // Locks the account's row, so that nobody joins a list while their account is being deleted.
    static let insert = Statement(
        name: "member_insert",
        sql: """
            INSERT INTO member (list_id, account_id, role, permission)
            SELECT $1, account.id, $3, $4
            FROM account
            WHERE account.id = $2 AND account.deleted_at IS NULL
            FOR KEY SHARE
            ON CONFLICT (list_id, account_id) DO NOTHING
            RETURNING account_id
            """)

    static let of = Statement(
        name: "member_of", sql: "SELECT role, permission FROM member WHERE list_id = $1 AND account_id = $2")

    static let countOwned = Statement(
        name: "member_count_owned", sql: "SELECT count(*) FROM member WHERE account_id = $1 AND role = 'owner'")

    // A separate statement, because lists and accounts may be on different nodes.
    static let countOwnedByMany = Statement(
        name: "member_count_owned_by_many",
        sql:
            "SELECT account_id, count(*) FROM member WHERE account_id = ANY ($1) AND role = 'owner' GROUP BY account_id"
    )

    /// All members of a list, the longest on it first.
    static let ofList = Statement(
        name: "member_of_list",
        sql: """
            SELECT account_id, role, permission
            FROM member
            WHERE list_id = $1
            ORDER BY joined_at, account_id
            """)

    /// What is null ($3 to $5) stays.
    static let place = Statement(
        name: "member_place",
        sql: """
            UPDATE member
            SET pinned = coalesce($3::boolean, pinned), archived = coalesce($4::boolean, archived),
                rank = coalesce($5::bigint, rank), placed = placed + 1
            WHERE list_id = $1 AND account_id = $2
            RETURNING pinned, archived, rank, placed
            """)

    static let permit = Statement(
        name: "member_permit",
        sql: """
            UPDATE member
            SET permission = $3
            WHERE list_id = $1 AND account_id = $2 AND role = 'participant'
            RETURNING account_id
            """)

    // A list has one owner at a time, so this runs before `promote`.
    static let demoteOwner = Statement(
        name: "member_demote_owner", sql: "UPDATE member SET role = 'participant' WHERE list_id = $1 AND role = 'owner'"
    )

    static let promote = Statement(
        name: "member_promote",
        sql: """
            UPDATE member
            SET role = 'owner', permission = 'readWrite'
            WHERE list_id = $1 AND account_id = $2
            RETURNING account_id
            """)

    /// The lists that an account is on, in the order in which their locks are taken.
    static let lists = Statement(
        name: "member_lists", sql: "SELECT list_id FROM member WHERE account_id = $1 ORDER BY list_id")

    // Leaves a departure with the reason, for the person's devices.
    static let remove = Statement(
        name: "member_remove",
        sql: """
            WITH removed AS (
                DELETE FROM member
                WHERE list_id = $1 AND account_id = $2
                RETURNING list_id, account_id
            )
            INSERT INTO departure (list_id, account_id, reason)
            SELECT list_id, account_id, $3 FROM removed
            ON CONFLICT (list_id, account_id) DO UPDATE SET reason = EXCLUDED.reason, departed_at = EXCLUDED.departed_at
            RETURNING account_id
            """)

    static let removeAll = Statement(
        name: "member_remove_all",
        sql: """
            WITH removed AS (
                DELETE FROM member
                WHERE list_id = $1
                RETURNING list_id, account_id
            )
            INSERT INTO departure (list_id, account_id, reason)
            SELECT list_id, account_id, $2 FROM removed
            ON CONFLICT (list_id, account_id) DO UPDATE SET reason = EXCLUDED.reason, departed_at = EXCLUDED.departed_at
            """)

    static let removeParticipants = Statement(
        name: "member_remove_participants",
        sql: """
            WITH removed AS (
                DELETE FROM member
                WHERE list_id = $1 AND role = 'participant'
                RETURNING list_id, account_id
            )
            INSERT INTO departure (list_id, account_id, reason)
            SELECT list_id, account_id, $2 FROM removed
            ON CONFLICT (list_id, account_id) DO UPDATE SET reason = EXCLUDED.reason, departed_at = EXCLUDED.departed_at
            """)

    static let departure = Statement(
        name: "departure_of", sql: "SELECT reason FROM departure WHERE list_id = $1 AND account_id = $2")

    static let departures = Statement(
        name: "departure_of_account",
        sql: "SELECT list_id, reason FROM departure WHERE account_id = $1 AND list_id = ANY ($2)")

    static let returned = Statement(
        name: "departure_delete", sql: "DELETE FROM departure WHERE list_id = $1 AND account_id = $2")

    static let all = [
        insert, of, countOwned, countOwnedByMany, ofList, place, permit, demoteOwner, promote, lists, remove, removeAll,
        removeParticipants,
        departure, departures, returned,
    ]
}
