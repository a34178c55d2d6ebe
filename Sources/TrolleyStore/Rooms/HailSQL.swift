import TrolleyPostgres

/// SQL about hails: one device's invitation of another device to a room.
enum HailSQL {
    // Only devices that have the list open, of people on the list. A hail of an earlier time to the same device and room
    // is replaced.
    static let insert = Statement(
        name: "hail_insert",
        sql: """
            INSERT INTO hail (
                list_id, id, room_id, account_id, device_id, to_device, sealed, created_at, expires_at)
            SELECT
                presence.list_id, new.id, $2, $3, $4, presence.device_id, new.sealed, now(),
                now() + $5::bigint * interval '1 millisecond'
            FROM unnest($6::uuid[], $7::uuid[], $8::bytea[]) AS new (id, device_id, sealed)
            JOIN presence
                ON presence.list_id = $1 AND presence.device_id = new.device_id AND presence.until > now()
                    AND presence.hail_key IS NOT NULL
            JOIN member ON member.list_id = presence.list_id AND member.account_id = presence.account_id
            JOIN member AS sender ON sender.list_id = presence.list_id AND sender.account_id = $3
            ON CONFLICT (list_id, to_device, room_id) DO UPDATE SET
                id = EXCLUDED.id, account_id = EXCLUDED.account_id, device_id = EXCLUDED.device_id,
                sealed = EXCLUDED.sealed, created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at
            RETURNING to_device
            """)

    // Neither a sender nor a reader who is no longer on the list. The latest of each sender, so that nobody hides the others'
    // hails behind their own.
    // Of an account that hails too many devices, its own oldest hails go.
    static let deleteOldest = Statement(
        name: "hail_delete_oldest",
        sql: """
            DELETE FROM hail
            WHERE list_id = $1 AND account_id = $2 AND id IN (
                SELECT id FROM hail WHERE list_id = $1 AND account_id = $2 ORDER BY created_at DESC, id OFFSET $3)
            """)

    static let toDevice = Statement(
        name: "hail_to_device",
        sql: """
            SELECT id, room_id, account_id, device_id, sealed, created_at, expires_at
            FROM (
                SELECT *
                FROM (
                    SELECT
                        hail.*,
                        row_number() OVER (PARTITION BY hail.account_id ORDER BY hail.created_at DESC, hail.id) AS place
                    FROM hail
                    JOIN member AS reader ON reader.list_id = hail.list_id AND reader.account_id = $3
                    JOIN member AS sender ON sender.list_id = hail.list_id AND sender.account_id = hail.account_id
                    WHERE hail.list_id = $1 AND hail.to_device = $2 AND hail.expires_at > now()
                ) AS waiting
                ORDER BY place, created_at DESC, id
                LIMIT 100
            ) AS latest
            ORDER BY created_at, id
            """)

    static let delete = Statement(
        name: "hail_delete", sql: "DELETE FROM hail WHERE list_id = $1 AND to_device = $2 AND id = $3 RETURNING id")

    static let deleteOfList = Statement(name: "hail_delete_of_list", sql: "DELETE FROM hail WHERE list_id = $1")

    static let deleteExpired = Statement(
        name: "hail_delete_expired", sql: "DELETE FROM hail WHERE expires_at <= now()")

    static let all = [insert, deleteOldest, toDevice, delete, deleteOfList, deleteExpired]
}
