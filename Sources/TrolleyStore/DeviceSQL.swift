import TrolleyPostgres

/// SQL about people's installations.
enum DeviceSQL {
    static let insert = Statement(
        name: "device_insert",
        sql: """
            INSERT INTO device (id, account_id, name, token_hash)
            VALUES ($1, $2, $3, $4)
            RETURNING id, name, created_at, last_seen_at
            """)

    // There is a row without a device when there is none for any token.
    static let byTokenHashes = Statement(
        name: "device_by_token_hashes",
        sql: """
            SELECT
                service.epoch, service.sessions_ended,
                device.token_hash, device.account_id, device.id, device.last_seen_at < now() - interval '1 minute'
            FROM service
            LEFT JOIN device ON device.token_hash = ANY ($1)
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

    static let all = [insert, byTokenHashes, noteEnd, touch, ofAccount, signOut]
}
