import TrolleyPostgres

/// SQL about deliveries to push subscriptions and webhooks.
enum DeliverySQL {
    // A browser shows the newest summary of a list. A replaced one may be on its way; its `Topic` replaces it at the
    // push service.
    static let replace = Statement(
        name: "delivery_replace",
        sql: """
            DELETE FROM push_delivery
            USING push_target
            WHERE push_delivery.list_id = $1 AND push_delivery.account_id = ANY ($2) AND push_delivery.dead_at IS NULL
                AND push_target.id = push_delivery.target_id AND push_target.device_id IS NOT NULL
                AND push_target.calendar_until IS NULL
            """)

    /// Deliveries of notices ($3) to each target of accounts ($2), except browsers that an earlier notice has already told
    /// ($4), and programs, which are told by ``RegistrationSQL/tell``.
    static let insert = Statement(
        name: "delivery_insert",
        sql: """
            INSERT INTO push_delivery (list_id, id, target_id, account_id, content, expires_at)
            SELECT
                $1, gen_random_uuid(), push_target.id, push_target.account_id, told.content,
                now() + CASE WHEN push_target.device_id IS NULL THEN interval '3 days' ELSE interval '1 day' END
            FROM unnest($2::uuid[], $3::json[], $4::boolean[]) AS told (account_id, content, is_known)
            JOIN push_target ON push_target.account_id = told.account_id
            LEFT JOIN device ON device.id = push_target.device_id
            WHERE push_target.calendar_until IS NULL
                AND (push_target.device_id IS NULL OR device.token_hash IS NOT NULL AND NOT told.is_known)
            """)

    // Programs have at most one delivery for each registration, and lose none: what it told would not be told again.
    /// Deletes all but the newest $2 deliveries of each browser and webhook of these accounts.
    static let trim = Statement(
        name: "delivery_trim",
        sql: """
            DELETE FROM push_delivery
            WHERE (list_id, id) IN (
                SELECT placed.list_id, placed.id
                FROM (
                    SELECT
                        each.list_id, each.id,
                        row_number() OVER (
                            PARTITION BY each.target_id ORDER BY each.created_at DESC, each.id) AS place
                    FROM push_target
                    JOIN push_delivery AS each ON each.target_id = push_target.id
                    WHERE push_target.account_id = ANY ($1) AND push_target.calendar_until IS NULL
                ) AS placed
                WHERE placed.place > $2)
            """)

    // Skips deliveries that another process is just claiming. One that it has claimed isn't due any more.
    /// Claims the first due delivery of each target of a lane ($1: whether it is for failing targets), at most $2, of
    /// targets that are not in $4, for $6 seconds. An account gets at most $5 places in the lane; each time that it is in
    /// $3, it has one already. Accounts in $7 have all of theirs. Looks at $8 deliveries at most, however many wait: the next
    /// claim, with more accounts in $7, sees others.
    static let claim = Statement(
        name: "delivery_claim",
        sql: """
            WITH claimed AS (
                SELECT push_delivery.list_id, push_delivery.id, now() AS claimed_at
                FROM push_delivery
                JOIN (
                    SELECT
                        first.list_id, first.id,
                        row_number() OVER (PARTITION BY first.account_id ORDER BY first.due_at, first.id)
                            + cardinality(array_positions($3::uuid[], first.account_id)) AS place
                    FROM (
                        SELECT waiting.list_id, waiting.id, waiting.account_id, waiting.due_at
                        FROM push_delivery AS waiting
                        JOIN push_target ON push_target.id = waiting.target_id AND push_target.failing = $1
                        WHERE waiting.dead_at IS NULL AND waiting.due_at <= now() AND waiting.expires_at > now()
                            AND waiting.target_id <> ALL ($4) AND waiting.account_id <> ALL ($7)
                            AND NOT EXISTS (
                                SELECT
                                FROM push_delivery AS earlier
                                WHERE earlier.target_id = waiting.target_id AND earlier.dead_at IS NULL
                                    AND earlier.due_at <= now() AND earlier.expires_at > now()
                                    AND (earlier.due_at, earlier.id) < (waiting.due_at, waiting.id))
                        ORDER BY waiting.due_at, waiting.id
                        LIMIT $8
                    ) AS first
                ) AS candidate ON candidate.list_id = push_delivery.list_id AND candidate.id = push_delivery.id
                WHERE candidate.place <= $5 AND push_delivery.dead_at IS NULL AND push_delivery.due_at <= now()
                ORDER BY push_delivery.due_at
                LIMIT $2
                FOR UPDATE OF push_delivery SKIP LOCKED
            )
            UPDATE push_delivery
            SET attempts = push_delivery.attempts + 1, due_at = now() + $6::bigint * interval '1 second'
            FROM claimed, push_target
            WHERE push_delivery.list_id = claimed.list_id AND push_delivery.id = claimed.id
                AND push_target.id = push_delivery.target_id
            RETURNING
                push_delivery.id, push_delivery.list_id, push_delivery.created_at, push_delivery.expires_at, claimed.claimed_at,
                push_delivery.attempts, push_delivery.content::text, push_target.id, push_target.account_id,
                push_target.url, push_target.public_key, push_target.secret, push_target.app,
                push_target.with_content, push_target.failing, push_target.language,
                push_target.calendar_until IS NOT NULL
            """)

    /// Milliseconds until the next delivery that isn't due yet.
    static let next = Statement(
        name: "delivery_next",
        sql: """
            SELECT ceil(extract(epoch FROM min(due_at) - clock_timestamp()) * 1000)::bigint
            FROM push_delivery
            WHERE dead_at IS NULL AND due_at > now()
            """)

    static let delete = Statement(
        name: "delivery_delete", sql: "DELETE FROM push_delivery WHERE list_id = $1 AND id = $2")

    // Another process may have claimed it again after the lease ($3: the attempt).
    /// Tries a delivery again in $4 milliseconds, unless it has expired by then or has had $6 attempts: then it is dead.
    static let retry = Statement(
        name: "delivery_retry",
        sql: """
            WITH next AS (SELECT now() AS now, now() + $4::bigint * interval '1 millisecond' AS due_at)
            UPDATE push_delivery
            SET
                due_at = next.due_at, failure = $5,
                dead_at = CASE WHEN attempts >= $6 OR next.due_at > expires_at THEN next.now END
            FROM next
            WHERE list_id = $1 AND id = $2 AND attempts = $3
            RETURNING dead_at IS NOT NULL
            """)

    static let bury = Statement(
        name: "delivery_bury",
        sql: """
            UPDATE push_delivery
            SET dead_at = now(), failure = $4
            WHERE list_id = $1 AND id = $2 AND attempts = $3
            """)

    /// Gives up deliveries that have expired before any process could try them again.
    static let buryExpired = Statement(
        name: "delivery_bury_expired",
        sql: """
            UPDATE push_delivery
            SET dead_at = now(), failure = coalesce(failure, 'expired')
            WHERE dead_at IS NULL AND due_at <= now() AND expires_at <= now()
            """)

    static let deleteOld = Statement(
        name: "delivery_delete_old", sql: "DELETE FROM push_delivery WHERE dead_at < now() - interval '7 days'")

    static let deleteOfList = Statement(
        name: "delivery_delete_of_list", sql: "DELETE FROM push_delivery WHERE list_id = $1")

    static let deleteOfPerson = Statement(
        name: "delivery_delete_of_person", sql: "DELETE FROM push_delivery WHERE list_id = $1 AND account_id = $2")

    static let deleteOfOthers = Statement(
        name: "delivery_delete_of_others", sql: "DELETE FROM push_delivery WHERE list_id = $1 AND account_id <> $2")

    /// Dead letters, newest first, at most $3: of an account ($1) or a list ($2), if they are not null.
    static let dead = Statement(
        name: "delivery_dead",
        sql: """
            SELECT
                push_delivery.id, push_delivery.account_id, push_delivery.list_id, push_delivery.created_at,
                push_delivery.dead_at, push_delivery.attempts, push_delivery.failure, push_target.url,
                push_target.device_id IS NULL
            FROM push_delivery
            JOIN push_target ON push_target.id = push_delivery.target_id
            WHERE push_delivery.dead_at IS NOT NULL AND ($1::uuid IS NULL OR push_delivery.account_id = $1)
                AND ($2::uuid IS NULL OR push_delivery.list_id = $2)
            ORDER BY push_delivery.dead_at DESC, push_delivery.id
            LIMIT $3
            """)

    static let all = [
        replace, insert, trim, claim, next, delete, retry, bury, buryExpired, deleteOld, deleteOfList, deleteOfPerson,
        deleteOfOthers, dead,
    ]
}
