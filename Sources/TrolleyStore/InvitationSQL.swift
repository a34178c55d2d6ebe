import TrolleyPostgres

/// SQL about ways onto a list.
enum InvitationSQL {
    static let insert = Statement(
        name: "invitation_insert",
        sql: """
            INSERT INTO invitation (list_id, secret_hash, email_key, permission, invited_by)
            VALUES ($1, $2, $3, $4, $5)
            """)

    /// An invitation that this account may use, whatever list it is for.
    static let usable = Statement(
        name: "invitation_usable",
        sql: """
            SELECT invitation.list_id, invitation.permission, owner.name
            FROM invitation
            JOIN list ON list.id = invitation.list_id AND list.deleted_at IS NULL
            JOIN account AS owner ON owner.id = list.owner_id
            JOIN account AS reader ON reader.id = $2
            WHERE invitation.secret_hash = $1
                AND (invitation.expires_at IS NULL OR invitation.expires_at > now())
                AND (invitation.email_key IS NULL OR invitation.email_key = reader.email_key)
                AND (invitation.accepted_by IS NULL OR invitation.accepted_by = reader.id)
            """)

    // Used for good, unless somebody else was faster.
    static let use = Statement(
        name: "invitation_use",
        sql: """
            UPDATE invitation
            SET accepted_by = CASE WHEN email_key IS NULL THEN $3::uuid END
            WHERE list_id = $1 AND secret_hash = $2 AND (accepted_by IS NULL OR accepted_by = $3)
            RETURNING permission
            """)

    // Used links end with the membership that they gave. An invitation by name outlives a leaving ($3: false), so that
    // the person can come back; when the owner removes somebody it goes too.
    static let withdraw = Statement(
        name: "invitation_withdraw",
        sql: """
            DELETE FROM invitation
            WHERE list_id = $1
                AND (accepted_by = $2
                    OR ($3 AND email_key = (SELECT email_key FROM account WHERE account.id = $2)))
            RETURNING secret_hash
            """)

    static let deleteOfList = Statement(
        name: "invitation_delete_of_list", sql: "DELETE FROM invitation WHERE list_id = $1")

    static let all = [insert, usable, use, withdraw, deleteOfList]
}
