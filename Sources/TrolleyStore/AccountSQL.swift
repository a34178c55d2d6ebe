import TrolleyPostgres

/// SQL about people.
enum AccountSQL {
    static let insert = Statement(
        name: "account_insert",
        sql: """
            INSERT INTO account (id, email, email_key, name, password_hash)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (email_key) DO NOTHING
            RETURNING id, email, name, created_at
            """)

    static let byID = Statement(
        name: "account_by_id", sql: "SELECT id, email, name, created_at FROM account WHERE id = $1")

    static let byEmail = Statement(
        name: "account_by_email",
        sql: "SELECT id, email, name, created_at, password_hash FROM account WHERE email_key = $1")

    static let passwordHash = Statement(
        name: "account_password_hash", sql: "SELECT password_hash FROM account WHERE id = $1")

    // Holds the row until the transaction ends: the account comes onto no list meanwhile.
    static let lock = Statement(
        name: "account_lock", sql: "SELECT email_key FROM account WHERE id = $1 FOR UPDATE")

    /// Every list whose stream may mention an account, in the order in which their locks are taken: lists that it is or
    /// was on, was invited to, or invited to.
    static let mentioning = Statement(
        name: "account_mentioning_lists",
        sql: """
            SELECT list_id FROM member WHERE account_id = $1
            UNION
            SELECT list_id FROM departure WHERE account_id = $1
            UNION
            SELECT list_id FROM invitation WHERE invited_by = $1
            UNION
            SELECT list_id FROM invitation WHERE email_key = (SELECT email_key FROM account WHERE id = $1)
            ORDER BY list_id
            """)

    static let endInvitations = Statement(
        name: "account_end_invitations",
        sql: """
            WITH own AS (
                DELETE FROM invitation
                WHERE list_id = $1 AND (
                    email_key = (SELECT email_key FROM account WHERE account.id = $2) OR accepted_by = $2)
            )
            UPDATE invitation
            SET ended = 'withdrawn'
            WHERE list_id = $1 AND invited_by = $2 AND ended IS NULL
            """)

    static let deleteDepartures = Statement(
        name: "account_delete_departures", sql: "DELETE FROM departure WHERE account_id = $1")

    static let deleteReadMarks = Statement(
        name: "account_delete_read_marks", sql: "DELETE FROM read_mark WHERE account_id = $1")

    // Its devices go with it.
    static let delete = Statement(name: "account_delete", sql: "DELETE FROM account WHERE id = $1")

    static let all = [
        insert, byID, byEmail, passwordHash, lock, mentioning, endInvitations, deleteDepartures, deleteReadMarks,
        delete,
    ]
}
