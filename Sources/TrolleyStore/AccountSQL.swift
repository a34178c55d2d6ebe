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

    // Until the transaction ends. Rows that name the account can still be made.
    static let lock = Statement(name: "account_lock", sql: "SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE")

    static let all = [insert, byID, byEmail, lock]
}
