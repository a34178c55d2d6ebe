import TrolleyPostgres

/// SQL about the states of a list's share.
enum ShareSQL {
    // About an invited person who was never on the list, the owner sees only the address that they entered. Whether an
    // account has that address, and whose it is, stays hidden.
    /// The members of a list and the invited people.
    static let participants = Statement(
        name: "share_participants",
        sql: """
            SELECT account.id, account.email, account.name, account.colour, member.role, member.permission, true
            FROM member
            JOIN account ON account.id = member.account_id
            WHERE member.list_id = $1
            UNION ALL
            SELECT known.id, coalesce(known.email, invited.email), known.name, known.colour, 'participant', invited.permission,
                false
            FROM (
                SELECT DISTINCT ON (email_key) email_key, email, permission
                FROM invitation
                WHERE list_id = $1 AND email_key IS NOT NULL AND \(InvitationSQL.isOpen)
                ORDER BY email_key, created_at DESC
            ) AS invited
            LEFT JOIN account AS guest ON guest.email_key = invited.email_key
            LEFT JOIN (departure JOIN account AS known ON known.id = departure.account_id)
                ON departure.list_id = $1 AND known.id = guest.id
            WHERE NOT EXISTS (SELECT FROM member WHERE member.list_id = $1 AND member.account_id = guest.id)
            """)

    /// The newest state of the share, where the list's row has it, and the bytes of all states.
    static let newest = Statement(
        name: "share_newest", sql: "SELECT share_at, share_bytes FROM list WHERE id = $1")

    // Of a list whose newest state is from before its row had it.
    /// The state that the stream recorded last.
    static let latest = Statement(
        name: "share_latest",
        sql: """
            SELECT sequence
            FROM event
            WHERE list_id = $1 AND \(EventSQL.type) = 'share'
            ORDER BY sequence DESC
            LIMIT 1
            """)

    /// The state before a sequence.
    static let previous = Statement(
        name: "share_previous",
        sql: """
            SELECT sequence
            FROM event
            WHERE list_id = $1 AND sequence < $2 AND (difference IS NOT NULL OR \(EventSQL.type) = 'share')
            ORDER BY sequence DESC
            LIMIT 1
            """)

    /// What the state at a sequence is made of: a state that is stored whole, and the differences since.
    static let parts = Statement(
        name: "share_parts",
        sql: """
            SELECT CASE WHEN base IS NULL THEN change END, difference
            FROM event
            WHERE list_id = $1 AND sequence <= $2 AND (difference IS NOT NULL OR sequence = $2)
                AND sequence >= (SELECT coalesce(base, sequence) FROM event WHERE list_id = $1 AND sequence = $2)
            ORDER BY sequence
            """)

    // Selects from the list's row, as ``EventSQL/insert`` does.
    static let insert = Statement(
        name: "share_insert",
        sql: """
            INSERT INTO event (list_id, sequence, type, change, difference, base, bytes)
            SELECT list.id, $2, 'share', $3, $4, $5, $6
            FROM list
            WHERE list.id = $1
            """)

    static let advance = Statement(
        name: "share_advance",
        sql: """
            UPDATE list
            SET head = $2, \(EventSQL.mark(of: "$2", in: "$1")), share_at = $2, share_bytes = share_bytes + $3
            WHERE list.id = $1
            """)

    /// Recorded states after a sequence, a page at a time.
    static let page = Statement(
        name: "share_page",
        sql: """
            SELECT sequence, CASE WHEN base IS NULL THEN change END, difference
            FROM event
            WHERE list_id = $1 AND sequence > $2 AND (difference IS NOT NULL OR \(EventSQL.type) = 'share')
            ORDER BY sequence
            LIMIT $3
            """)

    /// Replaces recorded states; used to remove the names of deleted accounts. A state of which only the difference is
    /// stored stays so.
    static let rewrite = Statement(
        name: "share_rewrite",
        sql: """
            UPDATE event
            SET change = coalesce(rewritten.change, event.change), difference = rewritten.difference
            FROM unnest($2::bigint[], $3::json[], $4::json[]) AS rewritten (sequence, change, difference)
            WHERE event.list_id = $1 AND event.sequence = rewritten.sequence
            """)

    static let all = [participants, newest, latest, previous, parts, insert, advance, page, rewrite]
}
