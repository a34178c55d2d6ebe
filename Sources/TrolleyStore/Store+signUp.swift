public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

extension Store {
    /// - Parameter invitation: SHA-256 of the secret that lets this person sign up; nil where everybody may. It is used up.
    /// - Throws: `.emailTaken`; `.signUpNeedsInvitation` when the secret lets nobody, or somebody else, sign up.
    public func createAccount(
        email: EmailAddress, name: String, passwordHash: String, invitation: [UInt8]? = nil
    ) async throws(StoreError) -> AccountResponse {
        let id = AccountID.version7(at: .now, random: RandomBits.random)
        return try await transaction { connection in
            if let invitation { try await connection.admit(id, email, by: invitation) }
            let rows = try await connection.execute(
                AccountSQL.insert, [id, email.text, email.key, name, passwordHash])
            guard let row = rows.first else { throw StoreError.emailTaken }
            return try AccountResponse(row: row)
        }
    }

    /// Lets one person sign up.
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - email: only somebody with this address; nil: whoever has the code.
    ///   - lifetime: milliseconds.
    /// - Returns: until when it can be used.
    public func createSignUpCode(
        hash: [UInt8], email: EmailAddress?, lifetime: Int64
    ) async throws(StoreError) -> Timestamp {
        try await one(SignUpSQL.insertCode, [hash, email?.key, lifetime]) { row throws(PostgresError) in
            try row.decode(Timestamp.self, at: 0)
        }
    }
}

extension Connection {
    fileprivate func admit(_ account: AccountID, _ email: EmailAddress, by secretHash: [UInt8]) async throws {
        if try await !execute(SignUpSQL.useCode, [secretHash, email.key]).isEmpty { return }
        let invited = try await execute(SignUpSQL.useInvitation, [secretHash, email.key, account])
        if invited.isEmpty { throw StoreError.signUpNeedsInvitation }
    }
}
