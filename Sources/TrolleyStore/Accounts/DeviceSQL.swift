import TrolleyPostgres

/// SQL about people's installations.
enum DeviceSQL {
    // Holds the account's row: who changes the password at the same time comes before or after, and in both cases what was
    // proven with the old one ends.
    static let insert = Statement(
        name: "device_insert",
        sql: """
            INSERT INTO device AS made (id, account_id, name, token_hash)
            SELECT $1, account.id, $3, $4
            FROM account
            WHERE account.id = $2 AND ($5::text IS NULL OR account.password_hash = $5)
            FOR SHARE
            RETURNING id, name, created_at, last_seen_at
            """)

    // Hosted devices have a limit of their own.
    private static let isPersons = """
        device.account_id = $1 AND device.token_hash IS NOT NULL
            AND NOT EXISTS (SELECT FROM hosted_device WHERE hosted_device.device_id = device.id)
        """

    /// Devices that a person is signed in on.
    static let count = Statement(name: "device_count", sql: "SELECT count(*) FROM device WHERE \(isPersons)")

    /// Ends the sessions of devices that were not used for a time ($2, milliseconds), the longest unused first.
    static let endUnused = Statement(
        name: "device_end_unused",
        sql: """
            UPDATE device
            SET token_hash = NULL
            WHERE id IN (
                SELECT device.id
                FROM device
                WHERE \(isPersons) AND device.last_seen_at < now() - $2::bigint * interval '1 millisecond'
                ORDER BY device.last_seen_at
                LIMIT $3)
            RETURNING id
            """)

    // There is a row without a device when there is none for any token. A session that nobody has used for so long ($2) opens
    // nothing, whether or not it was swept away already.
    static let byTokenHashes = Statement(
        name: "device_by_token_hashes",
        sql: """
            SELECT
                service.epoch, service.sessions_ended,
                device.token_hash, device.account_id, device.id, device.last_seen_at < now() - interval '1 minute'
            FROM service
            LEFT JOIN device ON device.token_hash = ANY ($1) AND \(isUsed("$2"))
            """)

    // In the transaction that ends sessions, and last: nobody else can end one meanwhile.
    static let noteEnd = Statement(
        name: "device_note_end",
        sql: "UPDATE service SET sessions_ended = sessions_ended + 1 RETURNING epoch, sessions_ended")

    // A device that somebody else touches is left to them: nobody waits, whatever the order.
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

    // Answers the device even when it is signed out already, so that doing it twice is no error.
    static let signOut = Statement(
        name: "device_sign_out",
        sql: "UPDATE device SET token_hash = NULL WHERE id = $1 AND account_id = $2 RETURNING id")

    static let signOutAll = Statement(
        name: "device_sign_out_all",
        sql: """
            UPDATE device
            SET token_hash = NULL
            WHERE account_id = $1 AND token_hash IS NOT NULL AND ($2::uuid IS NULL OR id <> $2)
            RETURNING id
            """)

    static let signOutIdle = Statement(
        name: "device_sign_out_idle",
        sql: "UPDATE device SET token_hash = NULL WHERE token_hash IS NOT NULL AND NOT \(isUsed("$1")) RETURNING id")

    /// - Parameter age: milliseconds; NULL: however long ago.
    static func isUsed(_ age: String) -> String {
        "(\(age)::bigint IS NULL OR device.last_seen_at > now() - \(age)::bigint * interval '1 millisecond')"
    }

    static let all = [
        insert, count, endUnused, byTokenHashes, noteEnd, touch, ofAccount, signOut, signOutAll, signOutIdle,
    ]
}
