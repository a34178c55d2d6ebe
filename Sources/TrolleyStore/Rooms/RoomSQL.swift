import TrolleyPostgres

/// SQL about rooms: short-lived channels between the devices that have a list open.
enum RoomSQL {
    // A room isn't ended when nobody is in it any more: a device that comes back may enter it. So the oldest make way. Who is
    // in one of them stays, and whoever hails to it makes it known again.
    /// Forgets the list's oldest rooms but the given one and $3 others.
    static let deleteOldest = Statement(
        name: "room_delete_oldest",
        sql: """
            DELETE FROM room
            WHERE list_id = $1 AND id IN (
                SELECT id FROM room WHERE list_id = $1 AND id <> $2 ORDER BY expires_at DESC, id OFFSET $3)
            """)

    // The statement itself checks membership. A room that exists stays as it is.
    static let insert = Statement(
        name: "room_insert",
        sql: """
            INSERT INTO room (list_id, id, handshake_key, expires_at)
            SELECT member.list_id, $3, $4, now() + $5::bigint * interval '1 millisecond'
            FROM member
            JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
            WHERE member.list_id = $1 AND member.account_id = $2
            ON CONFLICT (list_id, id) DO NOTHING
            """)

    /// The room's handshake key and the milliseconds until it ends, for somebody who is on the list.
    static let admission = Statement(
        name: "room_admission",
        sql: """
            SELECT
                room.handshake_key, room.expires_at,
                (extract(epoch FROM room.expires_at - now()) * 1000)::bigint, now()
            FROM room
            JOIN member ON member.list_id = room.list_id
            JOIN list ON list.id = room.list_id AND list.deleted_at IS NULL
            WHERE room.list_id = $1 AND room.id = $2 AND member.account_id = $3 AND room.expires_at > now()
            """)

    // Returns no row when the nonce was used before. Two processes that see the same nonce at the same moment wait for
    // each other at the primary key.
    static let useNonce = Statement(
        name: "room_use_nonce",
        sql: """
            INSERT INTO room_nonce (list_id, room_id, nonce, expires_at)
            SELECT room.list_id, room.id, $3, now() + $4::bigint * interval '1 millisecond'
            FROM room
            WHERE room.list_id = $1 AND room.id = $2
            ON CONFLICT (list_id, room_id, nonce) DO NOTHING
            RETURNING list_id
            """)

    /// The people among $2 who are on the lists $1.
    static let people = Statement(
        name: "room_people",
        sql: """
            SELECT member.list_id, member.account_id
            FROM member
            JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
            WHERE member.list_id = ANY ($1) AND member.account_id = ANY ($2)
            """)

    static let notify = Statement(
        name: "room_notify", sql: "SELECT pg_notify('trolley_rooms', payload) FROM unnest($1::text[]) AS payload")

    static let deleteExpired = Statement(
        name: "room_delete_expired", sql: "DELETE FROM room WHERE expires_at <= now()")

    static let deleteExpiredNonces = Statement(
        name: "room_nonce_delete_expired", sql: "DELETE FROM room_nonce WHERE expires_at <= now()")

    static let all = [
        deleteOldest, insert, admission, useNonce, people, notify, deleteExpired, deleteExpiredNonces,
    ]
}
