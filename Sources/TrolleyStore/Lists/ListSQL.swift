import TrolleyPostgres

/// SQL about lists.
enum ListSQL {
    static let insert = Statement(
        name: "list_insert",
        sql: """
            INSERT INTO list (id, owner_id, title_known)
            VALUES ($1, $2, true)
            ON CONFLICT (id) DO NOTHING
            RETURNING id
            """)

    static let existing = Statement(name: "list_existing", sql: "SELECT id FROM list WHERE id = ANY ($1)")

    /// When the list was first created, even if the database has lost and recovered it since.
    private static let birth = "coalesce(list.born_at, list.created_at)"

    /// The lists of the account `$1`, with the values that the account sees.
    private static let shared = """
        SELECT list.id, member.role, member.permission, list.head, \(birth), read_mark.through,
            CASE WHEN member.role = 'owner' THEN coalesce(list.owner_since, \(birth)) END,
            member.pinned, member.archived, member.rank
        FROM member
        JOIN list ON list.id = member.list_id
        LEFT JOIN read_mark ON read_mark.list_id = list.id AND read_mark.account_id = member.account_id
        WHERE member.account_id = $1 AND list.deleted_at IS NULL
        """

    static let ofAccount = Statement(name: "list_of_account", sql: "\(shared) ORDER BY \(birth), list.id")

    static let forAccount = Statement(name: "list_for_account", sql: "\(shared) AND list.id = $2")

    // Both hold for the rest of the transaction. They are commands, not set_config, because only a command reaches the
    // nodes of a Citus cluster. They are not in `all` because they have no plan.

    /// The limit that each session and transaction has anyway (`Store.sessionSettings`).
    static let limitLockWait = Statement(
        name: "list_limit_lock_wait", sql: "SET LOCAL lock_timeout = '\(Store.lockTimeout)'")

    /// For an upload that waits longer with the other contended ones.
    static let waitBriefly = Statement(name: "list_wait_briefly", sql: "SET LOCAL lock_timeout = '20ms'")

    // Locks the list until the transaction ends. From here on no other transaction appends to it, and later statements
    // of this transaction see everything that was appended. The clock is the database's, because several processes
    // serve the same list.
    static let lock = Statement(
        name: "list_lock",
        sql: """
            SELECT head, (SELECT epoch FROM service), clock_timestamp()
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
                AND EXISTS (SELECT FROM member WHERE member.list_id = list.id AND member.account_id = $2)
            FOR UPDATE
            """)

    // The same without a check of membership: for an account that is about to join.
    static let lockUnchecked = Statement(
        name: "list_lock_unasked",
        sql: """
            SELECT head, (SELECT epoch FROM service), clock_timestamp()
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
            FOR UPDATE
            """)

    // The same, also for a deleted list: for housekeeping.
    static let lockAlways = Statement(name: "list_lock_always", sql: "SELECT head FROM list WHERE id = $1 FOR UPDATE")

    // After the event at the new head was stored.
    static let advance = Statement(
        name: "list_advance", sql: "UPDATE list SET head = $2, \(EventSQL.mark(of: "$2", in: "$1")) WHERE list.id = $1")

    static let setOwner = Statement(
        name: "list_set_owner",
        sql: "UPDATE list SET owner_id = $2, owner_since = $3 WHERE id = $1")

    // `owner_since` is null if the owner created the list; any proof is older than that.
    static let ownership = Statement(name: "list_title", sql: "SELECT \(birth), owner_since FROM list WHERE id = $1")

    static let setOwnership = Statement(
        name: "list_set_title", sql: "UPDATE list SET born_at = $2, owner_since = $3 WHERE id = $1")

    static let markDeleted = Statement(
        name: "list_mark_deleted", sql: "UPDATE list SET deleted_at = now(), bytes = 0, live_entries = 0 WHERE id = $1")

    static let deleteEntries = Statement(name: "entry_delete_of_list", sql: "DELETE FROM entry WHERE list_id = $1")

    static let deleteArchive = Statement(
        name: "archived_entry_delete_of_list", sql: "DELETE FROM archived_entry WHERE list_id = $1")

    static let deleteEvents = Statement(name: "event_delete_of_list", sql: "DELETE FROM event WHERE list_id = $1")

    static let all = [
        insert, existing, ofAccount, forAccount, lock, lockUnchecked, lockAlways, advance, setOwner,
        ownership, setOwnership,
        markDeleted,
        deleteEntries,
        deleteArchive,
        deleteEvents,
    ]
}
