package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    package func account(_ id: AccountID) async throws(StoreError) -> AccountResponse {
        try await one(AccountSQL.byID, [id], AccountResponse.init(row:))
    }

    /// Whether the account may see the operator's page.
    package func isOperator(_ account: AccountID) async throws(StoreError) -> Bool {
        try await first(AccountSQL.isOperator, [account]) { row throws(PostgresError) in
            try row.decode(Bool.self, at: 0)
        } ?? false
    }

    /// Lets an account see the operator's page, or no longer.
    package func setOperator(_ account: AccountID, _ isOperator: Bool) async throws(StoreError) {
        try await execute(AccountSQL.setOperator, [account, isOperator])
    }

    /// The account with this address and its stored password hash; nil when no account has the address.
    package func passwordHash(
        of email: EmailAddress
    ) async throws(StoreError) -> (account: AccountResponse, passwordHash: String)? {
        // PostgreSQL's text can't hold U+0000, so no account has such an address.
        guard !email.text.utf8.contains(0) else { return nil }
        return try await first(AccountSQL.byEmail, [email.key]) { row throws(PostgresError) in
            (try AccountResponse(row: row), try row.decode(String.self, at: 7))
        }
    }
}

extension AccountResponse {
    init(row: Row) throws(PostgresError) {
        let (id, email, name, createdAt, isVerified, isOperator, colour) = try row.decode(
            (AccountID, String, String, Timestamp, Bool, Bool, String?).self)
        self.init(
            id: id, email: email, name: name, createdAt: createdAt, emailVerified: isVerified,
            operator: isOperator ? true : nil, colour: colour)
    }
}
