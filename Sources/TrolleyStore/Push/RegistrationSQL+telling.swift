import TrolleyPostgres

// SQL about what registered programs are told.

extension RegistrationSQL {
    // A personal token that has expired may not have been swept yet.
    private static func programs(_ name: String, _ registrations: String) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT
                    push_registration.id, push_registration.list_id, push_registration.target_id, push_target.account_id,
                    push_target.device_id, push_registration.content, push_registration.properties,
                    push_registration.told_through, push_registration.told_permission
                FROM \(registrations)
                JOIN push_target ON push_target.id = push_registration.target_id
                JOIN device ON device.id = push_target.device_id AND device.token_hash IS NOT NULL
                JOIN personal_token ON personal_token.device_id = push_target.device_id
                    AND (personal_token.expires_at IS NULL OR personal_token.expires_at > now())
                WHERE push_registration.expires_at > now() AND push_registration.id > $1
                ORDER BY push_registration.id
                LIMIT $2
                """)
    }

    /// Registrations after the one with the id $1, at most $2.
    static let ofAnyList = programs("registration_of_any_list", "push_registration")

    // OFFSET 0: otherwise the planner may read all registrations, because they are wanted in the order of their ids.
    /// The same for the lists $3.
    static let ofLists = programs(
        "registration_of_lists",
        """
        (
            SELECT id, target_id, list_id, content, properties, expires_at, told_through, told_permission
            FROM push_registration
            WHERE list_id = ANY ($3) AND id > $1
            OFFSET 0
        ) AS push_registration
        """)

    /// The heads of lists.
    static let heads = Statement(
        name: "registration_heads", sql: "SELECT id, head FROM list WHERE id = ANY ($1) AND deleted_at IS NULL")

    // Comes after the registrations' locks: the end of a hold may have moved a registration's mark to a newer head, and a mark
    // beyond the head would look like a restored list. Comes before the changes: the next look tells what is appended in between.
    /// A list's head, and its epoch.
    static let head = Statement(
        name: "registration_head",
        sql: """
            SELECT head, (SELECT epoch FROM service)
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
            """)

    // A removal deletes the person's row, and then the person's waiting messages. A lock of the list would do, too, but appends
    // need that. NOWAIT: a removal of several people may have one of the rows, and wait for another.
    /// Locks the rows of people on a list.
    static let members = Statement(
        name: "registration_members",
        sql: """
            SELECT account_id, permission
            FROM member
            WHERE list_id = $1 AND account_id = ANY ($2)
            FOR KEY SHARE NOWAIT
            """)

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

    // Comes after the registrations' locks: another process that led until now may have told them. FILTER keeps the
    // planner from the index of all deliveries that wait.
    /// The targets among $2 with messages about a list ($1), and what those messages tell that wait.
    static let waiting = Statement(
        name: "registration_waiting",
        sql: """
            SELECT
                target_id,
                coalesce(
                    bool_or((content -> 'calendar' ->> 'content')::boolean) FILTER (WHERE dead_at IS NULL), false),
                coalesce(
                    bool_or((content -> 'calendar' ->> 'properties')::boolean) FILTER (WHERE dead_at IS NULL), false)
            FROM push_delivery
            WHERE list_id = $1 AND target_id = ANY ($2)
            GROUP BY target_id
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

    // At most one message waits for each registration. A new message replaces it and keeps its time. After a failed
    // attempt, it keeps the time of the next attempt. A cluster assigns nothing in which CASE reads the clock, so `next` does;
    // the caller holds the registrations' locks. A statement that a cluster plans in several steps has no `unnest` of several
    // arrays: all its columns would be taken for the first array's type.
    /// Puts messages ($2) for registrations ($1) into the outbox, due in $3 milliseconds, but at least $4 milliseconds
    /// after the registration's previous message.
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
            ), next AS (
                SELECT
                    id,
                    CASE
                        WHEN planned_at > now() THEN planned_at
                        ELSE greatest(
                            now() + $3::bigint * interval '1 millisecond',
                            planned_at + $4::bigint * interval '1 millisecond')
                    END AS planned_at
                FROM push_registration
                WHERE id = ANY ($1)
            ), planned AS (
                UPDATE push_registration
                SET planned_at = next.planned_at
                FROM next
                WHERE push_registration.id = next.id
                RETURNING
                    push_registration.id, push_registration.list_id, push_registration.target_id,
                    push_registration.planned_at, push_registration.expires_at
            )
            INSERT INTO push_delivery (
                list_id, id, target_id, account_id, content, expires_at, due_at, attempts, failure
            )
            SELECT
                planned.list_id, gen_random_uuid(), planned.target_id, push_target.account_id,
                ($2::json[])[array_position($1::uuid[], planned.id)],
                least(planned.expires_at, now() + interval '1 day'), greatest(planned.planned_at, failed.due_at),
                coalesce(failed.attempts, 0), failed.failure
            FROM planned
            JOIN push_target ON push_target.id = planned.target_id
            LEFT JOIN failed ON failed.target_id = planned.target_id
            WHERE planned.expires_at > planned.planned_at
            """)
}
