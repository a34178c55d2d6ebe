import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// The account with an identity at an OpenID provider; nil when there is none.
    package func account(issuer: String, subject: String) async throws(StoreError) -> AccountResponse? {
        try await first(IdentitySQL.account, [issuer, subject], AccountResponse.init(row:))
    }

    /// Creates an account for an identity at an OpenID provider, with an address that the provider has verified.
    /// Concurrent calls for the same identity return the same account.
    /// - Parameter passwordHash: a hash that no password has.
    /// - Throws: `.emailTaken`, when another account has the address: the same address alone never gives access to it.
    package func createAccount(
        issuer: String, subject: String, email: EmailAddress, name: String, passwordHash: String
    ) async throws(StoreError) -> AccountResponse {
        let id = AccountID.version7(at: .now, random: RandomBits.random)
        return try await transaction { connection in
            // The second of two concurrent calls waits here for the first, because both insert the same address.
            let made = try await connection.execute(
                AccountSQL.insert, [id, email.text, email.key, name, passwordHash, true])
            guard let row = made.first else {
                let known = try await connection.execute(IdentitySQL.account, [issuer, subject])
                guard let row = known.first else { throw StoreError.emailTaken }
                return try AccountResponse(row: row)
            }
            try await connection.execute(IdentitySQL.insert, [issuer, subject, id])
            return try AccountResponse(row: row)
        }
    }
}
