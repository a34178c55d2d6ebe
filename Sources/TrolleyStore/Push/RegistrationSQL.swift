import TrolleyPostgres

/// SQL about registrations: programs that are told of changes of a list by push (WebDAV-Push). These tables are never in one
/// statement with those of lists, which may be on other nodes.
enum RegistrationSQL {
    // MARK: Registering

    /// Ends a device's ($1) registrations whose endpoint isn't $2.
    static let endEarlierEndpoint = Statement(
        name: "registration_end_earlier_endpoint", sql: "DELETE FROM push_target WHERE device_id = $1 AND url <> $2")

    /// The number of registrations of a device ($2) and of its account ($1), except the one for the list $3.
    static let count = Statement(
        name: "registration_count",
        sql: """
            SELECT count(*) FILTER (WHERE push_target.device_id = $2), count(*)
            FROM push_registration
            JOIN push_target ON push_target.id = push_registration.target_id
            WHERE push_target.account_id = $1
                AND NOT (push_target.device_id = $2 AND push_registration.list_id = $3)
            """)

    /// Registers a device ($2), whose endpoint is known, for a list; or changes its registration. $8: seconds.
    static let register = Statement(
        name: "registration_register",
        sql: """
            INSERT INTO push_registration (
                id, target_id, list_id, content, properties, told_through, told_permission, expires_at
            )
            SELECT $1, push_target.id, $3, $4, $5, $6, $7, now() + $8::bigint * interval '1 second'
            FROM push_target
            WHERE push_target.device_id = $2
            ON CONFLICT (target_id, list_id) DO UPDATE
            SET content = EXCLUDED.content, properties = EXCLUDED.properties, expires_at = EXCLUDED.expires_at
            RETURNING id, expires_at
            """)

    /// Locks the target of an account's ($2) registration, as everything that ends registrations does first.
    static let lockTarget = Statement(
        name: "registration_lock_target",
        sql: """
            SELECT id
            FROM push_target
            WHERE id = (SELECT target_id FROM push_registration WHERE id = $1 AND expires_at > now()) AND account_id = $2
            FOR UPDATE
            """)

    /// Ends registrations, and deletes the messages that wait for them.
    static let end = Statement(
        name: "registration_end",
        sql: """
            WITH ended AS (
                DELETE FROM push_registration
                WHERE id = ANY ($1)
                RETURNING target_id, list_id
            )
            DELETE FROM push_delivery
            USING ended
            WHERE push_delivery.list_id = ended.list_id AND push_delivery.target_id = ended.target_id
            """)

    static let endEmptyTarget = Statement(
        name: "registration_end_empty_target",
        sql: """
            DELETE FROM push_target
            WHERE id = $1 AND NOT EXISTS (SELECT FROM push_registration WHERE target_id = $1)
            """)

    // A request may be refreshing them.
    static let deleteExpired = Statement(
        name: "registration_delete_expired",
        sql: """
            DELETE FROM push_registration
            WHERE id IN (
                SELECT id FROM push_registration WHERE expires_at <= now() ORDER BY id FOR UPDATE SKIP LOCKED)
            """)

    static let deleteExpiredTargets = Statement(
        name: "registration_delete_expired_targets",
        sql: """
            DELETE FROM push_target
            WHERE id IN (
                SELECT id FROM push_target WHERE calendar_until <= now() ORDER BY id FOR UPDATE SKIP LOCKED)
            """)

    // MARK: Holding

    // A transaction that ends several targets locks them first, by id, and then their registrations. A hold and its end
    // take the locks in the same order, so that two transactions never wait for each other: `ARRAY` reads all of `kept`
    // before the first registration is locked.
    private static func locked(_ which: String) -> String {
        """
        WITH kept AS MATERIALIZED (
            SELECT push_registration.id
            FROM push_registration
            JOIN push_target ON push_target.id = push_registration.target_id
            WHERE \(which)
            ORDER BY push_target.id
            FOR KEY SHARE OF push_target
        ), locked AS MATERIALIZED (
            SELECT id FROM push_registration WHERE id = ANY (ARRAY(SELECT kept.id FROM kept)) ORDER BY id FOR UPDATE
        )
        """
    }

    // A cluster lets no statement return what depends on the session's settings, such as a time as text.
    /// Which hold it is: its end in microseconds.
    private static let endOfHold = "(extract(epoch FROM held_until - 'epoch'::timestamptz) * 1000000)::bigint::text"

    /// Holds registrations for a list ($1) for ten seconds: all, or those of $3 that are an account's ($4). Leaves out
    /// the device's own ($5), which isn't told of its own changes anyway.
    static let hold = Statement(
        name: "registration_hold",
        sql: """
            \(locked("""
                push_registration.list_id = $1 AND push_target.device_id <> $5
                    AND ($2::boolean OR push_registration.id = ANY ($3) AND push_target.account_id = $4)
                """))
            UPDATE push_registration
            SET held_until = now() + interval '10 seconds'
            WHERE id IN (SELECT id FROM locked)
            RETURNING id, \(endOfHold)
            """)

    // A later hold, by another request, goes on.
    /// Ends a hold ($1 until $2). Registrations that were told up to $3 need not be told up to $4.
    static let release = Statement(
        name: "registration_release",
        sql: """
            \(locked("push_registration.id = ANY ($1)"))
            UPDATE push_registration
            SET told_through = CASE WHEN told_through >= $3 THEN greatest(told_through, $4) ELSE told_through END,
                held_until = CASE WHEN \(endOfHold) <> $2 THEN held_until END
            WHERE id IN (SELECT id FROM locked)
            """)

    static let all = [
        endEarlierEndpoint, count, register, lockTarget, end, endEmptyTarget, deleteExpired, deleteExpiredTargets, hold,
        release, ofAnyList, ofLists, heads, head, members, changes, keepTargets, lock, waiting, advance, tell,
    ]
}
