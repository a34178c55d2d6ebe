import TrolleyPostgres

/// SQL about hosted devices.
enum HostedDeviceSQL {
    static let insert = Statement(
        name: "hosted_device_insert",
        sql: "INSERT INTO hosted_device (device_id, token_hash, default_list_id) VALUES ($1, $2, $3)")

    static let byTokenHash = Statement(
        name: "hosted_device_by_token_hash",
        sql: """
            SELECT device.account_id, device.id, device.last_seen_at < now() - interval '1 minute'
            FROM hosted_device
            JOIN device
                ON device.id = hosted_device.device_id AND device.token_hash IS NOT NULL AND \(DeviceSQL.isUsed("$2"))
            WHERE hosted_device.token_hash = $1
            """)

    static let of = Statement(
        name: "hosted_device_of",
        sql: """
            SELECT device.account_id, device.id
            FROM hosted_device
            JOIN device ON device.id = hosted_device.device_id AND device.token_hash IS NOT NULL
            WHERE device.id = $1 AND device.account_id = $2
            """)

    static let ofAccount = Statement(
        name: "hosted_device_of_account",
        sql: """
            SELECT device.id, device.name, hosted_device.default_list_id, device.created_at, device.last_seen_at
            FROM hosted_device
            JOIN device ON device.id = hosted_device.device_id AND device.token_hash IS NOT NULL
            WHERE device.account_id = $1
            ORDER BY device.created_at, device.id
            """)

    /// Its queues are deleted with it. The device's own row stays, because entries refer to it.
    static let delete = Statement(name: "hosted_device_delete", sql: "DELETE FROM hosted_device WHERE device_id = $1")

    static let defaultList = Statement(
        name: "hosted_device_default_list", sql: "SELECT default_list_id FROM hosted_device WHERE device_id = $1")

    static let retryState = Statement(
        name: "hosted_device_pace", sql: "SELECT pace FROM hosted_device WHERE device_id = $1")

    static let setRetryState = Statement(
        name: "hosted_device_set_pace", sql: "UPDATE hosted_device SET pace = $2 WHERE device_id = $1")

    static let lockAccount = Statement(
        name: "hosted_device_lock_account", sql: "SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE")

    // A device makes one change at a time, so that two copies of a request make one change. Rows that refer to the
    // device can be written meanwhile. While the lock is held, no process can take the device's lease.
    /// Whether the device has a lease, whether it was told to wait, and its `RetryState` if lists wait by themselves.
    static let lock = Statement(
        name: "hosted_device_lock",
        sql: """
            SELECT
                coalesce(driven_until > now(), false), (pace -> 'nextTry') IS NOT NULL,
                CASE WHEN (pace -> 'lists') IS NOT NULL THEN pace END
            FROM hosted_device
            WHERE device_id = $1
            FOR NO KEY UPDATE
            """)

    // The lock, unless another transaction holds it.
    static let lockFree = Statement(name: "hosted_device_lock_free", sql: "\(lock.sql) SKIP LOCKED")

    // MARK: Leases

    // Depends on nothing but the device, so that the planner begins with the accounts' devices.
    /// The lists that wait by themselves (`RetryState.lists`): the device leaves them alone for now.
    private static let waitingLists = """
        SELECT (wait ->> 'list')::uuid
        FROM hosted_device AS retrying
        CROSS JOIN LATERAL json_array_elements(retrying.pace -> 'lists') AS wait
        WHERE retrying.device_id = device.id AND (wait ->> 'nextTry')::timestamptz > now()
        """

    // Compares with an array, which is read once for each device. A join would choose the index by the list.
    /// A condition: the list doesn't wait by itself.
    private static func isDue(_ list: String) -> String { "\(list) <> ALL (ARRAY(\(waitingLists)))" }

    /// - Parameter which: a condition on the device's account.
    private static func withWork(_ name: String, _ which: String) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT device.account_id, device.id
                FROM device
                JOIN hosted_device ON hosted_device.device_id = device.id
                WHERE device.token_hash IS NOT NULL \(which)
                    AND (hosted_device.driven_until IS NULL OR hosted_device.driven_until <= now())
                    AND (hosted_device.rests_until IS NULL OR hosted_device.rests_until <= now())
                    AND (
                        EXISTS (
                            SELECT FROM hosted_pending
                            WHERE hosted_pending.device_id = device.id AND hosted_pending.sequence IS NULL
                                AND NOT hosted_pending.retired AND \(isDue("hosted_pending.list_id")))
                        OR EXISTS (
                            SELECT FROM member
                            JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
                            LEFT JOIN hosted_list
                                ON hosted_list.list_id = list.id AND hosted_list.device_id = device.id
                            WHERE member.account_id = device.account_id
                                AND (hosted_list.seen_head IS DISTINCT FROM list.head OR hosted_list.token IS NULL)
                                AND \(isDue("list.id")))
                        OR EXISTS (
                            SELECT FROM hosted_list
                            WHERE hosted_list.device_id = device.id AND hosted_list.published
                                AND \(isDue("hosted_list.list_id"))
                                AND NOT EXISTS (
                                    SELECT FROM member
                                    WHERE member.list_id = hosted_list.list_id
                                        AND member.account_id = device.account_id)))
                ORDER BY device.id
                LIMIT $1
                """)
    }

    /// Devices with work: an entry to send, or a list that has grown, is new or is gone. Lists that wait by themselves don't
    /// count.
    static let withWork = withWork("hosted_device_with_work", "")

    /// Those of these accounts.
    static let withWorkOfAccounts = withWork("hosted_device_with_work_of", "AND device.account_id = ANY ($2)")

    /// The accounts that have hosted devices.
    static let hosts = Statement(
        name: "hosted_device_hosts",
        sql: """
            SELECT DISTINCT device.account_id
            FROM hosted_device
            JOIN device ON device.id = hosted_device.device_id AND device.token_hash IS NOT NULL
            """)

    /// The accounts with a hosted device that has one of these lists, also those that are no longer on the list.
    static let hostsOfLists = Statement(
        name: "hosted_device_hosts_of_lists",
        sql: """
            SELECT DISTINCT device.account_id
            FROM hosted_list
            JOIN device ON device.id = hosted_list.device_id AND device.token_hash IS NOT NULL
            WHERE hosted_list.list_id = ANY ($1)
            """)

    /// Devices without a lease, after the device $1, of the accounts $3 (null: of all), where lists and devices are on
    /// different nodes: whether each has an entry to send, its lists, the sequence up to which each was fetched (null: not
    /// at all), whether the service had each, and the lists that wait by themselves.
    static let candidates = Statement(
        name: "hosted_device_candidates",
        sql: """
            SELECT
                device.account_id, device.id,
                EXISTS (
                    SELECT FROM hosted_pending
                    WHERE hosted_pending.device_id = device.id AND hosted_pending.sequence IS NULL
                        AND NOT hosted_pending.retired AND \(isDue("hosted_pending.list_id"))),
                (
                    SELECT array_agg(hosted_list.list_id ORDER BY hosted_list.list_id)
                    FROM hosted_list
                    WHERE hosted_list.device_id = device.id),
                (
                    SELECT
                        array_agg(
                            CASE WHEN hosted_list.token IS NOT NULL THEN hosted_list.seen_head END
                            ORDER BY hosted_list.list_id)
                    FROM hosted_list
                    WHERE hosted_list.device_id = device.id),
                (
                    SELECT array_agg(hosted_list.published ORDER BY hosted_list.list_id)
                    FROM hosted_list
                    WHERE hosted_list.device_id = device.id),
                ARRAY(\(waitingLists))
            FROM hosted_device
            JOIN device ON device.id = hosted_device.device_id AND device.token_hash IS NOT NULL
            WHERE device.id > $1 AND ($3::uuid[] IS NULL OR device.account_id = ANY ($3))
                AND (hosted_device.driven_until IS NULL OR hosted_device.driven_until <= now())
                AND (hosted_device.rests_until IS NULL OR hosted_device.rests_until <= now())
            ORDER BY device.id
            LIMIT $2
            """)

    // A process that holds a device's lease runs the device until it releases the lease, and renews the lease
    // meanwhile. The lease of a process that has died ends within seconds.
    static let claim = Statement(
        name: "hosted_device_claim",
        sql: """
            UPDATE hosted_device
            SET driver = $2, driven_until = now() + $3 * interval '1 millisecond'
            WHERE device_id = $1 AND (driven_until IS NULL OR driven_until <= now())
            RETURNING device_id
            """)

    // Doesn't renew a lease that has ended: another process may have the device by now.
    static let renew = Statement(
        name: "hosted_device_renew",
        sql: """
            UPDATE hosted_device
            SET driven_until = now() + $3 * interval '1 millisecond'
            WHERE device_id = ANY ($1) AND driver = $2 AND driven_until > now()
            """)

    static let release = Statement(
        name: "hosted_device_release",
        sql: """
            UPDATE hosted_device
            SET driver = NULL, driven_until = NULL, rests_until = now() + $3 * interval '1 millisecond'
            WHERE device_id = $1 AND driver = $2
            """)

    static let noteHeads = Statement(
        name: "hosted_list_note_heads",
        sql: """
            UPDATE hosted_list
            SET seen_head = seen.head
            FROM unnest($2::uuid[], $3::bigint[]) AS seen (list_id, head)
            WHERE hosted_list.device_id = $1 AND hosted_list.list_id = seen.list_id
            """)

    static let all =
        ofRequests + [
            insert, byTokenHash, of, ofAccount, delete, defaultList, retryState, setRetryState, lockAccount, lock,
            lockFree, candidates, hosts, hostsOfLists, claim, renew, release, noteHeads,
        ]

    /// Only for a single server; a Citus cluster uses other statements (``Topology``).
    static let forOneServer = [withWork, withWorkOfAccounts]
}
