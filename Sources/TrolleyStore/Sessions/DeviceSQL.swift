import TrolleyPostgres

/// SQL about devices.
enum DeviceSQL {
    // Locks the account's row, so a concurrent password change runs either before or after this statement. In both
    // cases, sessions that were opened with the old password end.
    static let insert = Statement(
        name: "device_insert",
        sql: """
            INSERT INTO device AS made (id, account_id, name, token_hash)
            SELECT $1, account.id, $3, $4
            FROM account
            WHERE account.id = $2 AND account.deleted_at IS NULL AND ($5::text IS NULL OR account.password_hash = $5)
            FOR SHARE
            RETURNING id, name, created_at, last_seen_at
            """)

    // Hosted devices and personal tokens have limits of their own.
    private static let isPersons = """
        device.account_id = $1 AND device.token_hash IS NOT NULL
            AND NOT EXISTS (SELECT FROM hosted_device WHERE hosted_device.device_id = device.id)
            AND NOT EXISTS (SELECT FROM personal_token WHERE personal_token.device_id = device.id)
        """

    /// The number of devices on which an account is signed in.
    static let count = Statement(name: "device_count", sql: "SELECT count(*) FROM device WHERE \(isPersons)")

    // Statements that lock several devices take them by id, so that two of them never wait for each other. All
    // transactions lock the account first, then devices, then what belongs to them (`PushSQL`).

    /// Ends the sessions of devices that were not used for $2 milliseconds, least recently used first.
    static let endUnused = Statement(
        name: "device_end_unused",
        sql: """
            UPDATE device
            SET token_hash = NULL
            WHERE id IN (
                SELECT id
                FROM device
                WHERE id IN (
                    SELECT device.id
                    FROM device
                    WHERE \(isPersons) AND device.last_seen_at < now() - $2::bigint * interval '1 millisecond'
                    ORDER BY device.last_seen_at
                    LIMIT $3)
                ORDER BY id
                FOR UPDATE)
            RETURNING id
            """)

    // Returns one row without a device when no token matches. A session that was idle for longer than $2 doesn't match,
    // even before it is swept, and neither does an expired personal token. A token whose device was signed out matches while its account exists, with the device
    // NULL.
    static let byTokenHashes = Statement(
        name: "device_by_token_hashes",
        sql: """
            SELECT
                service.epoch, service.sessions_ended, device.hash, device.account_id, device.id, device.is_stale,
                device.read_only, device.list_ids, device.remaining
            FROM service
            LEFT JOIN (
                SELECT
                    token_hash, account_id, id, last_seen_at < now() - interval '1 minute', NULL::boolean, NULL::uuid[],
                    NULL::bigint
                FROM device
                WHERE token_hash = ANY ($1) AND \(isUsed("$2"))
                UNION ALL
                SELECT
                    personal_token.token_hash, device.account_id, device.id,
                    device.last_seen_at < now() - interval '1 minute', personal_token.read_only,
                    personal_token.list_ids,
                    floor(extract(epoch FROM personal_token.expires_at - now()) * 1000)::bigint
                FROM personal_token
                JOIN device
                    ON device.id = personal_token.device_id AND device.token_hash IS NOT NULL AND \(isUsed("$2"))
                WHERE personal_token.token_hash = ANY ($1)
                    AND (personal_token.expires_at IS NULL OR personal_token.expires_at > now())
                UNION ALL
                SELECT device.signed_out_hash, device.account_id, NULL, false, NULL, NULL, NULL
                FROM device
                JOIN account ON account.id = device.account_id AND account.deleted_at IS NULL
                WHERE device.signed_out_hash = ANY ($1)
            ) AS device (hash, account_id, id, is_stale, read_only, list_ids, remaining) ON true
            """)

    // The last but one statement of a transaction that ends sessions: it locks the row, so no other transaction can end one
    // meanwhile.
    /// Counts $1 sessions that have ended.
    static let countEnded = Statement(
        name: "device_count_ended",
        sql: "UPDATE service SET sessions_ended = sessions_ended + $1::bigint RETURNING epoch, sessions_ended")

    /// Records which sessions have ended; $2: the number of the last one.
    static let noteEnded = Statement(
        name: "device_note_ended",
        sql: """
            INSERT INTO ended_session (number, device_id)
            SELECT $2::bigint - cardinality($1::uuid[]) + ended.place, ended.id
            FROM unnest($1::uuid[]) WITH ORDINALITY AS ended (id, place)
            """)

    /// The sessions that ended after the one of this number, at most $2.
    static let endedSince = Statement(
        name: "device_ended_since",
        sql: "SELECT number, device_id FROM ended_session WHERE number > $1 ORDER BY number LIMIT $2")

    static let forgetEnded = Statement(
        name: "device_forget_ended", sql: "DELETE FROM ended_session WHERE ended_at < now() - interval '1 hour'")

    // Skips rows that another transaction has locked: that transaction touches the device. So this never waits.
    static let touch = Statement(
        name: "device_touch",
        sql: """
            UPDATE device
            SET last_seen_at = now()
            WHERE id IN (SELECT id FROM device WHERE id = ANY ($1) FOR NO KEY UPDATE SKIP LOCKED)
            """)

    static let ofAccount = Statement(
        name: "device_of_account",
        sql: """
            SELECT id, name, created_at, last_seen_at
            FROM device
            WHERE account_id = $1 AND token_hash IS NOT NULL
            ORDER BY created_at, id
            """)

    /// Milliseconds since a device of an account signed in, by the database's clock.
    static let age = Statement(
        name: "device_age",
        sql: """
            SELECT floor(extract(epoch FROM now() - created_at) * 1000)::bigint
            FROM device
            WHERE id = $1 AND account_id = $2
            """)

    // Signing out keeps the hash of the token, so that the device can be told why it is no longer known: only then does
    // it give up its lists. Sessions that end otherwise (disuse, a restore) leave none. Nor does one that was not used in
    // this epoch: its device may have what a restored database lacks.
    private static let signedOutHash = """
        CASE WHEN last_seen_at >= (SELECT epoch_began_at FROM service) THEN token_hash END
        """

    // Returns the device even if it is already signed out, so that signing out twice is no error.
    static let signOut = Statement(
        name: "device_sign_out",
        sql: """
            UPDATE device
            SET token_hash = NULL, signed_out_hash = coalesce(\(signedOutHash), signed_out_hash)
            WHERE id = $1 AND account_id = $2
            RETURNING id
            """)

    static let signOutAll = Statement(
        name: "device_sign_out_all",
        sql: """
            UPDATE device
            SET token_hash = NULL, signed_out_hash = \(signedOutHash)
            WHERE id IN (
                SELECT id
                FROM device
                WHERE account_id = $1 AND token_hash IS NOT NULL AND ($2::uuid IS NULL OR id <> $2)
                ORDER BY id
                FOR UPDATE)
            RETURNING id
            """)

    /// The last of the next $2 devices after the device $1; no row if there are fewer.
    static let endOfPage = Statement(
        name: "device_end_of_page", sql: "SELECT id FROM device WHERE id > $1 ORDER BY id OFFSET $2::bigint - 1 LIMIT 1"
    )

    /// Ends the sessions that were idle for $1 milliseconds, of devices after $2 and up to $3 (null: of all after it).
    static let signOutIdle = Statement(
        name: "device_sign_out_idle",
        sql: """
            UPDATE device
            SET token_hash = NULL
            WHERE id IN (
                SELECT id
                FROM device
                WHERE id > $2 AND ($3::uuid IS NULL OR id <= $3) AND token_hash IS NOT NULL AND NOT \(isUsed("$1"))
                ORDER BY id
                FOR UPDATE)
            RETURNING id
            """)

    /// - Parameter age: milliseconds; NULL: no limit.
    static func isUsed(_ age: String) -> String {
        "(\(age)::bigint IS NULL OR device.last_seen_at > now() - \(age)::bigint * interval '1 millisecond')"
    }

    static let all = [
        insert, count, endUnused, byTokenHashes, countEnded, noteEnded, endedSince, forgetEnded, touch, ofAccount, age,
        signOut, signOutAll, endOfPage, signOutIdle,
    ]
}
