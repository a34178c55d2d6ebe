import TrolleyPostgres

/// SQL about the states of a list's share.
enum ShareSQL {
    /// The people of a list and those invited to it: the owner, then by when they came or were invited.
    static let participants = Statement(
        name: "share_participants",
        sql: """
            SELECT account.id, account.email, account.name, member.role, member.permission, true
            FROM member
            JOIN account ON account.id = member.account_id
            WHERE member.list_id = $1
            UNION ALL
            SELECT guest.id, coalesce(guest.email, invited.email_key), guest.name, 'participant', invited.permission, false
            FROM (
                SELECT DISTINCT ON (email_key) email_key, permission, created_at
                FROM invitation
                WHERE list_id = $1 AND email_key IS NOT NULL AND (expires_at IS NULL OR expires_at > now())
                ORDER BY email_key, created_at DESC
            ) AS invited
            LEFT JOIN account AS guest ON guest.email_key = invited.email_key
            WHERE NOT EXISTS (SELECT FROM member WHERE member.list_id = $1 AND member.account_id = guest.id)
            """)

    static let all = [participants]
}
