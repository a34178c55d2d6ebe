import TrolleyPostgres

// SQL about the lists of a hosted device. `$1` is always the device, `$2` the list.

extension HostedQueueSQL {
    static let insertList = Statement(
        name: "hosted_list_insert",
        sql: """
            INSERT INTO hosted_list (device_id, list_id, published, summed_through)
            VALUES ($1, $2, $3, 0)
            ON CONFLICT DO NOTHING
            RETURNING list_id
            """)

    static let list = Statement(
        name: "hosted_list",
        sql: """
            SELECT
                list_id, token, staging, through, last_position, received_at, published, name, latest_made_at,
                coalesce(summed_through = through, false)
            FROM hosted_list
            WHERE device_id = $1 AND list_id = $2
            """)

    // Locks the device's list, so that a transaction that reads and then writes it is alone.
    static let lockList = Statement(name: "hosted_list_lock", sql: "\(list.sql) FOR NO KEY UPDATE")

    // The lock, unless another transaction holds it.
    static let lockFreeList = Statement(
        name: "hosted_list_lock_free", sql: "\(list.sql) FOR NO KEY UPDATE SKIP LOCKED")

    /// The lists' names, and whether each is up to date.
    static let lists = Statement(
        name: "hosted_list_of_device",
        sql: """
            SELECT list_id, name, coalesce(summed_through = through, false)
            FROM hosted_list
            WHERE device_id = $1
            ORDER BY list_id
            """)

    static let deviceStatus = Statement(
        name: "hosted_list_standing",
        sql: """
            SELECT
                list_id, published, token,
                (SELECT count(*) FROM hosted_pending AS pending
                    WHERE pending.list_id = hosted_list.list_id AND pending.device_id = hosted_list.device_id
                        AND pending.sequence IS NULL AND NOT pending.retired),
                (SELECT count(*) FROM hosted_entry AS entry
                    WHERE entry.list_id = hosted_list.list_id AND entry.device_id = hosted_list.device_id
                        AND NOT entry.applied)
            FROM hosted_list
            WHERE device_id = $1
            ORDER BY list_id
            """)

    static let publish = Statement(
        name: "hosted_list_publish",
        sql: "UPDATE hosted_list SET published = true WHERE device_id = $1 AND list_id = $2")

    static let setToken = Statement(
        name: "hosted_list_set_token",
        sql: """
            UPDATE hosted_list
            SET token = $3, staging = $4, received_at = $5, published = true
            WHERE device_id = $1 AND list_id = $2
            """)

    static let forgetToken = Statement(
        name: "hosted_list_forget_token",
        sql: "UPDATE hosted_list SET token = NULL, staging = false WHERE device_id = $1 AND list_id = $2")

    // The stored name stays valid: an entry that changes it makes it computed again.
    static let setThrough = Statement(
        name: "hosted_list_set_through",
        sql: """
            UPDATE hosted_list
            SET through = $3::bigint, latest_made_at = greatest(latest_made_at, $4),
                summed_through = CASE WHEN summed_through = through THEN $3::bigint END
            WHERE device_id = $1 AND list_id = $2
            """)

    // The device's own entries were added to the end of its upload queue.
    static let setPosition = Statement(
        name: "hosted_list_set_position",
        sql: """
            UPDATE hosted_list
            SET last_position = $3, latest_made_at = greatest(latest_made_at, $4)
            WHERE device_id = $1 AND list_id = $2
            """)

    // The device had all changes before its own, up to $4, so it need not fetch those.
    static let passOwn = Statement(
        name: "hosted_list_pass_own",
        sql: """
            UPDATE hosted_list
            SET token = $3, through = $4::bigint, seen_head = $4::bigint,
                summed_through = CASE WHEN summed_through = through THEN $4::bigint END
            WHERE device_id = $1 AND list_id = $2
            """)

    static let share = Statement(
        name: "hosted_list_share", sql: "SELECT share FROM hosted_list WHERE device_id = $1 AND list_id = $2")

    static let setShare = Statement(
        name: "hosted_list_set_share",
        sql: "UPDATE hosted_list SET share = $3 WHERE device_id = $1 AND list_id = $2")

    /// Deletes all data of the list on the device, except rejected entries and the counter.
    static let deleteList = Statement(
        name: "hosted_list_delete", sql: "DELETE FROM hosted_list WHERE device_id = $1 AND list_id = $2")

    // MARK: A list's summary, read without folding it

    private static let isRename = "(content -> 'operation')::text = '\"renameList\"'"

    static let sizeOfRenames = Statement(
        name: "hosted_entry_renames_size", sql: "\(size(of: "hosted_entry")) AND \(isRename)")

    static let renames = Statement(
        name: "hosted_entry_renames",
        sql: """
            SELECT content
            FROM hosted_entry
            WHERE device_id = $1 AND list_id = $2 AND \(isRename)
            ORDER BY sequence
            """)

    static let pendingRenames = Statement(
        name: "hosted_pending_renames",
        sql: """
            SELECT content, estimate
            FROM hosted_pending AS pending
            WHERE device_id = $1 AND list_id = $2 AND NOT retired AND \(isRename) AND \(isNotBack)
            ORDER BY position
            """)

    // Reads a member as JSON: as text, it could be refused because of another part of the entry.
    static let latest = Statement(
        name: "hosted_list_latest",
        sql: """
            SELECT
                greatest(
                    (
                        SELECT max(trim(BOTH '"' FROM (content -> 'madeAt')::text)::timestamptz)
                        FROM hosted_entry
                        WHERE device_id = $1 AND list_id = $2),
                    (
                        SELECT max(estimate)
                        FROM hosted_pending
                        WHERE device_id = $1 AND list_id = $2 AND NOT retired))
            """)

    static let setSummary = Statement(
        name: "hosted_list_set_summary",
        sql: """
            UPDATE hosted_list
            SET name = $3, latest_made_at = $4, summed_through = through
            WHERE device_id = $1 AND list_id = $2
            """)

    static let ofLists = [
        insertList, list, lockList, lockFreeList, lists, deviceStatus, publish, setToken, forgetToken, setThrough,
        setPosition, passOwn, share, setShare, deleteList, sizeOfRenames, renames, pendingRenames, latest, setSummary,
    ]
}
