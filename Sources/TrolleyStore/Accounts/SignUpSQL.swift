import TrolleyPostgres

/// SQL about sign-up codes, for services where signing up is restricted.
enum SignUpSQL {
    static let insertCode = Statement(
        name: "sign_up_code_insert",
        sql: """
            INSERT INTO sign_up_code (code_hash, email_key, expires_at)
            VALUES ($1, $2, now() + $3::bigint * interval '1 millisecond')
            RETURNING expires_at
            """)

    // A code works once: of two concurrent uses, the second finds no row.
    static let useCode = Statement(
        name: "sign_up_code_use",
        sql: """
            DELETE FROM sign_up_code
            WHERE code_hash = $1 AND expires_at > now() AND (email_key IS NULL OR email_key = $2)
            RETURNING email_key IS NOT NULL
            """)

    static let deleteExpiredCodes = Statement(
        name: "sign_up_code_delete_expired", sql: "DELETE FROM sign_up_code WHERE expires_at <= now()")

    // An invitation to a list lets one person sign up, a link for several as many as it is for: they have used it then.
    static let useInvitation = Statement(
        name: "sign_up_invitation_use",
        sql: """
            UPDATE invitation
            SET signed_up = CASE WHEN invitation.uses IS NULL THEN $3::uuid END,
                used_by = CASE
                    WHEN invitation.uses IS NULL THEN invitation.used_by
                    ELSE invitation.used_by || $3::uuid
                END
            WHERE invitation.secret_hash = $1 AND \(InvitationSQL.isOpen) AND invitation.signed_up IS NULL
                AND (invitation.email_key IS NULL OR invitation.email_key = $2)
            RETURNING invitation.list_id
            """)

    static let all = [insertCode, useCode, deleteExpiredCodes, useInvitation]
}
