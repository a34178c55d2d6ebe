import TrolleyPostgres

/// SQL about registrations: programs that are told of changes of a list by push (WebDAV-Push). These tables are never in one
/// statement with those of lists, which may be on other nodes.
enum RegistrationSQL {
    // MARK: Registering

    /// Ends the registrations of a device ($1) for an earlier endpoint than $2.
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

    /// Ends registrations with what waits for them.
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

    // Several registrations are locked by id, so that two transactions never wait for each other.
    /// Holds registrations for a list ($1) for ten seconds: all, or those of $3 that are an account's ($4). The device's own ($5)
    /// isn't told of its own changes anyway.
    static let hold = Statement(
        name: "registration_hold",
        sql: """
            UPDATE push_registration
            SET held_until = now() + interval '10 seconds'
            WHERE id IN (
                SELECT push_registration.id
                FROM push_registration
                JOIN push_target ON push_target.id = push_registration.target_id
                WHERE push_registration.list_id = $1 AND push_target.device_id <> $5
                    AND ($2::boolean OR push_registration.id = ANY ($3) AND push_target.account_id = $4)
                ORDER BY push_registration.id
                FOR UPDATE OF push_registration)
            RETURNING id, held_until::text
            """)

    // A later hold, of another request, goes on.
    /// Ends a hold ($1 until $2). Those that knew of everything up to $3 need not be told up to $4.
    static let release = Statement(
        name: "registration_release",
        sql: """
            UPDATE push_registration
            SET told_through = CASE WHEN told_through >= $3 THEN greatest(told_through, $4) ELSE told_through END,
                held_until = CASE WHEN held_until::text <> $2 THEN held_until END
            WHERE id IN (SELECT id FROM push_registration WHERE id = ANY ($1) ORDER BY id FOR UPDATE)
            """)

    // MARK: Telling

    // A personal token that has expired may not have been swept yet.
    private static func programs(_ name: String, _ which: String) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT
                    push_registration.id, push_registration.list_id, push_registration.target_id, push_target.account_id,
                    push_target.device_id, push_registration.content, push_registration.properties,
                    push_registration.told_through, push_registration.told_permission,
                    coalesce(waiting.content, false), coalesce(waiting.properties, false)
                FROM push_registration
                JOIN push_target ON push_target.id = push_registration.target_id
                JOIN device ON device.id = push_target.device_id AND device.token_hash IS NOT NULL
                JOIN personal_token ON personal_token.device_id = push_target.device_id
                    AND (personal_token.expires_at IS NULL OR personal_token.expires_at > now())
                CROSS JOIN LATERAL (
                    SELECT
                        bool_or((push_delivery.content -> 'calendar' ->> 'content')::boolean) AS content,
                        bool_or((push_delivery.content -> 'calendar' ->> 'properties')::boolean) AS properties
                    FROM push_delivery
                    WHERE push_delivery.list_id = push_registration.list_id
                        AND push_delivery.target_id = push_registration.target_id AND push_delivery.dead_at IS NULL
                ) AS waiting
                WHERE push_registration.expires_at > now() AND push_registration.id > $1 \(which)
                ORDER BY push_registration.id
                LIMIT $2
                """)
    }

    /// Registrations after the one with the id $1, at most $2, with what waits to be sent to each.
    static let ofAnyList = programs("registration_of_any_list", "")

    /// Those for these lists.
    static let ofLists = programs("registration_of_lists", "AND push_registration.list_id = ANY ($3)")

    /// The heads of lists.
    static let heads = Statement(
        name: "registration_heads", sql: "SELECT id, head FROM list WHERE id = ANY ($1) AND deleted_at IS NULL")

    // Removing somebody takes this lock FOR UPDATE, and then deletes what waits for them.
    static let lockList = Statement(
        name: "registration_lock_list",
        sql: """
            SELECT head, (SELECT epoch FROM service)
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
            FOR KEY SHARE
            """)

    static let members = Statement(
        name: "registration_members",
        sql: "SELECT account_id, permission FROM member WHERE list_id = $1 AND account_id = ANY ($2)")

    // Entries that come back from the Activity keep their old time, and are no news.
    /// What each device has changed after $2: the newest changes of items, and of the list's name and colour.
    static let changes = Statement(
        name: "registration_changes",
        sql: """
            SELECT
                device_id,
                max(sequence) FILTER (WHERE operation IN ('add', 'edit', 'markOff', 'unmark', 'move', 'delete')),
                max(sequence) FILTER (WHERE operation IN ('renameList', 'recolourList'))
            FROM entry
            WHERE list_id = $1 AND sequence > $2 AND received_at > now() - interval '7 days'
            GROUP BY device_id
            """)

    static let keepTargets = Statement(
        name: "registration_keep_targets",
        sql: "SELECT id FROM push_target WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE")

    /// Registrations, how far they were told, and whether they are held.
    static let lock = Statement(
        name: "registration_lock",
        sql: """
            SELECT id, told_through, coalesce(held_until > now(), false)
            FROM push_registration
            WHERE id = ANY ($1)
            ORDER BY id
            FOR UPDATE
            """)

    /// Registrations ($1) know of everything up to $2, and of the permissions $3.
    static let advance = Statement(
        name: "registration_advance",
        sql: """
            UPDATE push_registration
            SET told_through = $2, told_permission = known.permission
            FROM unnest($1::uuid[], $3::text[]) AS known (id, permission)
            WHERE push_registration.id = known.id
            """)

    // One message waits for each registration. It is sent when the first of those that it replaces was to be sent; after
    // failures, when the endpoint is to be tried again.
    /// Puts messages ($2) for registrations ($1) into the outbox: $3 milliseconds from now, and $4 after the one before at the
    /// earliest.
    static let tell = Statement(
        name: "registration_tell",
        sql: """
            WITH replaced AS (
                DELETE FROM push_delivery
                USING push_registration
                WHERE push_registration.id = ANY ($1) AND push_delivery.list_id = push_registration.list_id
                    AND push_delivery.target_id = push_registration.target_id
                RETURNING
                    push_delivery.target_id, push_delivery.due_at, push_delivery.attempts, push_delivery.failure,
                    push_delivery.dead_at
            ), failed AS (
                SELECT target_id, max(due_at) AS due_at, max(attempts) AS attempts, max(failure) AS failure
                FROM replaced
                WHERE dead_at IS NULL AND failure IS NOT NULL
                GROUP BY target_id
            ), planned AS (
                UPDATE push_registration
                SET planned_at = CASE
                        WHEN push_registration.planned_at > now() THEN push_registration.planned_at
                        ELSE greatest(
                            now() + $3::bigint * interval '1 millisecond',
                            push_registration.planned_at + $4::bigint * interval '1 millisecond')
                    END
                FROM unnest($1::uuid[], $2::json[]) AS told (id, content)
                WHERE push_registration.id = told.id
                RETURNING
                    push_registration.list_id, push_registration.target_id, push_registration.planned_at,
                    push_registration.expires_at, told.content
            )
            INSERT INTO push_delivery (
                list_id, id, target_id, account_id, content, expires_at, due_at, attempts, failure
            )
            SELECT
                planned.list_id, gen_random_uuid(), planned.target_id, push_target.account_id, planned.content,
                least(planned.expires_at, now() + interval '1 day'), greatest(planned.planned_at, failed.due_at),
                coalesce(failed.attempts, 0), failed.failure
            FROM planned
            JOIN push_target ON push_target.id = planned.target_id
            LEFT JOIN failed ON failed.target_id = planned.target_id
            WHERE planned.expires_at > planned.planned_at
            """)

    static let all = [
        endEarlierEndpoint, count, register, lockTarget, end, endEmptyTarget, deleteExpired, deleteExpiredTargets, hold,
        release, ofAnyList, ofLists, heads, lockList, members, changes, keepTargets, lock, advance, tell,
    ]
}
