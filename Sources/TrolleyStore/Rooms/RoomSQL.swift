import TrolleyPostgres

/// SQL about rooms: short-lived channels between the devices that have a list open.
enum RoomSQL {
    // The transaction that removes somebody holds this row FOR UPDATE until the list's rooms have ended. So the removal sees a
    // room that is made at the same time, or the room's maker sees the removal. This lock is the weakest that conflicts with
    // FOR UPDATE, so hails don't wait for each other. Like a removal, a hail takes it before its locks of rooms and hails.
    /// Keeps people from being removed from a list until the transaction ends. Finds the list only for a person on it.
    static let lockList = Statement(
        name: "room_lock_list",
        sql: """
            SELECT id
            FROM list
            WHERE id = $1 AND deleted_at IS NULL
                AND EXISTS (SELECT FROM member WHERE member.list_id = list.id AND member.account_id = $2)
            FOR KEY SHARE
            """)

    // A room doesn't end when it is empty: a device may come back. So a list keeps its newest rooms and evicts older ones.
    // Devices in an evicted room stay there, and a device that hails to it makes it known again. An account's own older rooms
    // are evicted before another account's newest ($4 made the room $2), so nobody can displace the others' rooms.
    /// Evicts the list's rooms, except the given one and $3 others.
    static let makeWay = Statement(
        name: "room_make_way",
        sql: """
            UPDATE room SET made_way_at = now()
            WHERE list_id = $1 AND id IN (
                SELECT id
                FROM (
                    SELECT
                        id, expires_at,
                        row_number() OVER (PARTITION BY account_id ORDER BY expires_at DESC, id)
                            + (account_id IS NOT DISTINCT FROM $4::uuid)::integer AS place
                    FROM room
                    WHERE list_id = $1 AND id <> $2 AND made_way_at IS NULL
                ) AS known
                ORDER BY place, expires_at DESC, id
                OFFSET $3)
            """)

    /// Deletes the list's rooms that were evicted first, except the given one and $3 others.
    static let deleteOldest = Statement(
        name: "room_delete_oldest",
        sql: """
            DELETE FROM room
            WHERE list_id = $1 AND id IN (
                SELECT id
                FROM room
                WHERE list_id = $1 AND id <> $2 AND made_way_at IS NOT NULL
                ORDER BY made_way_at DESC, id
                OFFSET $3)
            """)

    // The statement itself checks membership. An existing room keeps its key. An evicted one is known again, unless it was
    // ended: then nobody knows its key.
    static let insert = Statement(
        name: "room_insert",
        sql: """
            INSERT INTO room (list_id, id, account_id, handshake_key, expires_at)
            SELECT member.list_id, $3, $2, $4, now() + $5::bigint * interval '1 millisecond'
            FROM member
            JOIN list ON list.id = member.list_id AND list.deleted_at IS NULL
            WHERE member.list_id = $1 AND member.account_id = $2
            ON CONFLICT (list_id, id) DO UPDATE SET made_way_at = NULL
                WHERE room.handshake_key = EXCLUDED.handshake_key
            """)

    // The row stays, so that a room of this id can't be made with the old secret. Processes of the version before look only at
    // the key.
    /// Ends the rooms of a list: replaces their keys by $2, which nobody knows.
    static let end = Statement(
        name: "room_end", sql: "UPDATE room SET handshake_key = $2, made_way_at = now() WHERE list_id = $1")

    static let keys = Statement(
        name: "room_keys",
        sql: "SELECT list_id, id, handshake_key FROM room WHERE list_id = ANY ($1) AND id = ANY ($2)")

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
                AND room.made_way_at IS NULL
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

    // The clock of the database is the only one that all processes share. An earlier version reads no more of the first
    // line than the sender's name.
    /// Sends signals, with the time at the end of their first line: `@` and milliseconds since 1970.
    static let notify = Statement(
        name: "room_notify",
        sql: #"""
            SELECT pg_notify(
                'trolley_rooms',
                regexp_replace(
                    payload, E'\n', ' @' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint || E'\n'))
            FROM unnest($1::text[]) AS payload
            """#)

    static let deleteExpired = Statement(
        name: "room_delete_expired", sql: "DELETE FROM room WHERE expires_at <= now()")

    static let deleteExpiredNonces = Statement(
        name: "room_nonce_delete_expired", sql: "DELETE FROM room_nonce WHERE expires_at <= now()")

    static let all = [
        lockList, makeWay, deleteOldest, insert, end, keys, admission, useNonce, people, notify, deleteExpired,
        deleteExpiredNonces,
    ]
}
