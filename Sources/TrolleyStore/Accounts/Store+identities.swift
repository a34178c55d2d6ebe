import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

extension Store {
    /// The account of somebody whom an identity provider knows; nil when they never came.
    public func account(issuer: String, subject: String) async throws(StoreError) -> AccountResponse? {
        try await first(IdentitySQL.account, [issuer, subject], AccountResponse.init(row:))
    }

    /// Makes the account of somebody whom an identity provider knows, with an address that it has verified. Who came at the
    /// same time gets the same account.
    /// - Parameter passwordHash: one that no password has.
    /// - Throws: `.emailTaken`, when an account of somebody else has the address: it is never theirs by that alone.
    public func createAccount(
        issuer: String, subject: String, email: EmailAddress, name: String, passwordHash: String
    ) async throws(StoreError) -> AccountResponse {
        let id = AccountID.version7(at: .now, random: RandomBits.random)
        return try await transaction { connection in
            // Who comes second waits here for the first, because both have the same address.
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
