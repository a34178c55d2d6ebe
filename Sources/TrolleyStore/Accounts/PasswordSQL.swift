import TrolleyPostgres

/// SQL about passwords.
enum PasswordSQL {
    /// Changes the password only while it is still the one that was verified ($2).
    static let change = Statement(
        name: "password_change",
        sql: "UPDATE account SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING id")

    static let set = Statement(name: "password_set", sql: "UPDATE account SET password_hash = $2 WHERE id = $1")

    static let insertReset = Statement(
        name: "password_reset_insert",
        sql: """
            INSERT INTO password_reset (code_hash, account_id, expires_at)
            VALUES ($1, $2, now() + $3::bigint * interval '1 millisecond')
            RETURNING expires_at
            """)

    static let isReset = Statement(
        name: "password_reset_is",
        sql: """
            SELECT EXISTS (
                SELECT FROM password_reset
                JOIN account ON account.id = password_reset.account_id
                WHERE password_reset.code_hash = $1 AND account.email_key = $2 AND password_reset.expires_at > now())
            """)

    // A code works once: of two concurrent uses, the second finds no row.
    static let useReset = Statement(
        name: "password_reset_use",
        sql: """
            DELETE FROM password_reset
            USING account
            WHERE password_reset.code_hash = $1 AND account.id = password_reset.account_id AND account.email_key = $2
                AND password_reset.expires_at > now()
            RETURNING account.id
            """)

    /// Deletes the account's other codes, so that nobody can use one of them to overwrite the new password.
    static let forgetResets = Statement(
        name: "password_reset_forget", sql: "DELETE FROM password_reset WHERE account_id = $1")

    static let deleteExpired = Statement(
        name: "password_reset_delete_expired", sql: "DELETE FROM password_reset WHERE expires_at <= now()")

    static let all = [change, set, insertReset, isReset, useReset, forgetResets, deleteExpired]
}
