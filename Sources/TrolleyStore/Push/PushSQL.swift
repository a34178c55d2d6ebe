import TrolleyPostgres

/// SQL about push subscriptions, webhooks, and the key of the service for push services.
enum PushSQL {
    static let key = Statement(name: "push_key", sql: "SELECT vapid_key FROM service")

    // The first process makes the key; the others find it.
    static let makeKey = Statement(
        name: "push_make_key", sql: "UPDATE service SET vapid_key = $1 WHERE vapid_key IS NULL")

    /// The number of an account's other subscriptions ($2: the device whose subscription doesn't count).
    static let countSubscriptions = Statement(
        name: "push_count_subscriptions",
        sql: """
            SELECT count(*)
            FROM push_target
            WHERE account_id = $1 AND device_id IS NOT NULL AND device_id <> $2 AND calendar_until IS NULL
            """)

    // A browser has one subscription for a site. Its endpoint is a secret of the browser, so another session with the
    // same endpoint was in the same browser, and has ended.
    static let endElsewhere = Statement(
        name: "push_end_elsewhere",
        sql: "DELETE FROM push_target WHERE device_id <> $1 AND url = $2 AND calendar_until IS NULL")

    // The session may end meanwhile; `FOR SHARE` makes this wait and then find nothing.
    /// Subscribes a device. $9: seconds for which its program has registrations; null: it is a browser.
    static let subscribe = Statement(
        name: "push_subscribe",
        sql: """
            WITH signed_in AS (
                SELECT device.id, device.account_id
                FROM device
                WHERE device.id = $2 AND device.token_hash IS NOT NULL
                FOR SHARE
            )
            INSERT INTO push_target (
                id, account_id, device_id, url, public_key, secret, app, with_content, language, calendar_until
            )
            SELECT
                $1, signed_in.account_id, signed_in.id, $3, $4, $5, $6, $7, $8, now() + $9::bigint * interval '1 second'
            FROM signed_in
            ON CONFLICT (device_id) DO UPDATE
            SET
                url = EXCLUDED.url, public_key = EXCLUDED.public_key, secret = EXCLUDED.secret, app = EXCLUDED.app,
                with_content = EXCLUDED.with_content, language = EXCLUDED.language,
                failing = push_target.failing AND push_target.url = EXCLUDED.url,
                calendar_until = greatest(push_target.calendar_until, EXCLUDED.calendar_until)
            """)

    static let endSubscription = Statement(
        name: "push_end_subscription", sql: "DELETE FROM push_target WHERE device_id = $1")

    // Several targets are locked by id, so that two transactions never wait for each other.
    static let endSubscriptions = Statement(
        name: "push_end_subscriptions",
        sql: """
            DELETE FROM push_target
            WHERE id IN (SELECT id FROM push_target WHERE device_id = ANY ($1) ORDER BY id FOR UPDATE)
            """)

    /// Before an account is deleted, with its targets.
    static let lockTargets = Statement(
        name: "push_lock_targets", sql: "SELECT id FROM push_target WHERE account_id = $1 ORDER BY id FOR UPDATE")

    // Deleting a target locks it first, then its deliveries. A transaction that replaces deliveries of several targets, and then
    // adds some, must take the locks in the same order.
    static let keepTargets = Statement(
        name: "push_keep_targets",
        sql: "SELECT id FROM push_target WHERE account_id = ANY ($1) ORDER BY id FOR KEY SHARE")

    // The session's device is locked before the subscriptions of other devices, as when sessions end.
    static let lockDevice = Statement(
        name: "push_lock_device", sql: "SELECT id FROM device WHERE id = $1 AND token_hash IS NOT NULL FOR SHARE")

    static let countWebhooks = Statement(
        name: "push_count_webhooks",
        sql: "SELECT count(*) FROM push_target WHERE account_id = $1 AND device_id IS NULL")

    static let insertWebhook = Statement(
        name: "push_insert_webhook",
        sql: """
            INSERT INTO push_target (id, account_id, url, secret, with_content)
            VALUES ($1, $2, $3, $4, $5)
            RETURNING id, url, with_content, created_at, failing
            """)

    static let webhooks = Statement(
        name: "push_webhooks",
        sql: """
            SELECT id, url, with_content, created_at, failing
            FROM push_target
            WHERE account_id = $1 AND device_id IS NULL
            ORDER BY created_at, id
            """)

    /// An account's push subscriptions, oldest first.
    static let subscriptions = Statement(
        name: "push_subscriptions",
        sql: """
            SELECT device_id, url, with_content, language, created_at, failing
            FROM push_target
            WHERE account_id = $1 AND device_id IS NOT NULL AND calendar_until IS NULL
            ORDER BY created_at, id
            """)

    /// An account's programs that are told of lists (WebDAV-Push), oldest first.
    static let programs = Statement(
        name: "push_programs",
        sql: """
            SELECT device_id, url, created_at, failing
            FROM push_target
            WHERE account_id = $1 AND device_id IS NOT NULL AND calendar_until IS NOT NULL
            ORDER BY created_at, id
            """)

    static let deleteWebhook = Statement(
        name: "push_delete_webhook",
        sql: "DELETE FROM push_target WHERE id = $1 AND account_id = $2 AND device_id IS NULL RETURNING id")

    // A browser may have a new endpoint meanwhile.
    static let endTarget = Statement(
        name: "push_end_target", sql: "DELETE FROM push_target WHERE id = $1 AND url = $2")

    /// Returns a row if any of these accounts has a push subscription or a webhook.
    static let anyTarget = Statement(
        name: "push_any_target",
        sql: """
            SELECT
            FROM push_target
            LEFT JOIN device ON device.id = push_target.device_id
            WHERE push_target.account_id = ANY ($1) AND push_target.calendar_until IS NULL
                AND (push_target.device_id IS NULL OR device.token_hash IS NOT NULL)
            LIMIT 1
            """)

    static let setFailing = Statement(
        name: "push_set_failing",
        sql: "UPDATE push_target SET failing = $3 WHERE id = $1 AND url = $2 AND failing <> $3")

    static let all = [
        key, makeKey, endSubscriptions, lockTargets, keepTargets, lockDevice, countSubscriptions, endElsewhere,
        subscribe, endSubscription, countWebhooks, insertWebhook, webhooks, subscriptions, programs,
        deleteWebhook, endTarget, anyTarget, setFailing,
    ]
}
