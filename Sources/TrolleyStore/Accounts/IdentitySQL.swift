import TrolleyPostgres

/// SQL about accounts' identities at an OpenID provider.
enum IdentitySQL {
    static let account = Statement(
        name: "identity_account",
        sql: """
            SELECT \(AccountSQL.columns)
            FROM identity
            JOIN account ON account.id = identity.account_id
            WHERE identity.issuer = $1 AND identity.subject = $2
            """)

    static let insert = Statement(
        name: "identity_insert", sql: "INSERT INTO identity (issuer, subject, account_id) VALUES ($1, $2, $3)")

    static let all = [account, insert]
}
