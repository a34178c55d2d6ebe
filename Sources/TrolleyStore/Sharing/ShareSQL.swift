import TrolleyPostgres

/// SQL about the states of a list's share.
enum ShareSQL {
    // About an invited person who was never on the list, the owner sees only the address that they entered. Whether an
    // account has that address, and whose it is, stays hidden.
    /// The members of a list and the invited people.
    static let participants = Statement(
        name: "share_participants",
        sql: """
            SELECT account.id, account.email, account.name, member.role, member.permission, true
            FROM member
            JOIN account ON account.id = member.account_id
            WHERE member.list_id = $1
            UNION ALL
            SELECT known.id, coalesce(known.email, invited.email), known.name, 'participant', invited.permission, false
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

    /// The states of a list's share that its stream holds.
    static let states = Statement(
        name: "share_states",
        sql: "SELECT sequence, change FROM event WHERE list_id = $1 AND change ->> 'type' = 'share'")

    /// The state that the stream recorded last.
    static let latest = Statement(
        name: "share_latest",
        sql: """
            SELECT change
            FROM event
            WHERE list_id = $1 AND change ->> 'type' = 'share'
            ORDER BY sequence DESC
            LIMIT 1
            """)

    /// Replaces recorded states; used to remove the names of deleted accounts.
    static let rewrite = Statement(
        name: "share_rewrite",
        sql: """
            UPDATE event
            SET change = rewritten.change
            FROM unnest($2::bigint[], $3::json[]) AS rewritten (sequence, change)
            WHERE event.list_id = $1 AND event.sequence = rewritten.sequence
            """)

    static let all = [participants, states, latest, rewrite]
}
