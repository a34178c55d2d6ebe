package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

// Proof that an address belongs to an account's person.

extension Store {
    /// Stores a code that is about to be mailed to an address.
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - lifetime: milliseconds.
    ///   - limit: codes for one address within an hour.
    /// - Returns: when the code expires; nil when the address has reached the limit.
    package func createEmailCode(
        hash: [UInt8], for email: EmailAddress, lifetime: Int64, limit: Int
    ) async throws(StoreError) -> Timestamp? {
        try await transaction { connection in
            try await connection.execute(EmailSQL.lockCodes, [email.key])
            let made = try await connection.execute(EmailSQL.insertCode, [hash, email.key, lifetime, limit])
            return try made.first?.decode(Timestamp.self, at: 0)
        }
    }

    /// Deletes a code that could not be mailed.
    package func deleteEmailCode(hash: [UInt8]) async throws(StoreError) {
        try await execute(EmailSQL.deleteCode, [hash])
    }

    /// Gives an account an address that its person has proven to be theirs. Another account with the same, unverified
    /// address loses it. The invitations by which the person joined lists name the new address from then on. Their lists
    /// show it after ``continueAccountChanges(of:within:)``.
    /// - Parameter codeHash: SHA-256 of a code that was mailed to the address. The code is used up.
    /// - Throws: `.wrongEmailCode`; `.emailTaken`, when another account has the address and has verified it.
    package func setEmail(
        _ email: EmailAddress, of account: AccountID, codeHash: [UInt8]
    ) async throws(StoreError) -> AccountResponse {
        do {
            return try await transaction { connection in
                let lists = try await connection.lockListsInviting(account)
                try await connection.prove(email, by: codeHash)
                let released = try await connection.release(email, but: account)
                try await connection.moveInvitations(of: account, on: lists, to: email)
                let rows = try await connection.execute(EmailSQL.set, [account, email.text, email.key])
                guard let row = rows.first else { throw StoreError.wrongEmailCode }
                for person in [account, released].compactMap(\.self) {
                    try await connection.execute(AccountChangeSQL.note, [person])
                }
                return try AccountResponse(row: row)
            }
        } catch .database(let error) where error.sqlState == .uniqueViolation {
            throw .emailTaken
        }
    }

    /// Marks an account's address as verified, on the operator's word.
    package func verifyEmail(of account: AccountID) async throws(StoreError) {
        try await execute(EmailSQL.verify, [account])
    }

    // MARK: Mail

    package func noteMailSent() async throws(StoreError) { try await execute(EmailSQL.noteSent) }

    /// - Parameter reason: must not contain the address.
    package func noteMailFailed(_ reason: String) async throws(StoreError) {
        try await execute(EmailSQL.noteFailed, [reason])
    }
}

extension Connection {
    /// Locks the lists whose invitations name an account that is or was on them. Locks are always taken in the same
    /// order: lists by id, then the account.
    fileprivate func lockListsInviting(_ account: AccountID) async throws -> [ListID] {
        let lists = try await listsInviting(account)
        for list in lists { try await execute(ListSQL.lockUnchecked, [list]) }
        return lists
    }

    /// Changes the address of an account's invitations to lists whose locks are held.
    fileprivate func moveInvitations(of account: AccountID, on lists: [ListID], to email: EmailAddress) async throws {
        guard let row = try await execute(AccountSQL.lock, [account]).first else { return }
        let before = try row.decode(String.self, at: 0)
        guard try await Set(listsInviting(account)).isSubset(of: lists) else {
            // The account joined a list after the lists were read. The next try will see it.
            throw StoreError.unavailable(PostgresError(.cancelled, "the account has just joined a list"))
        }
        for list in lists { try await execute(EmailSQL.moveInvitations, [list, before, email.text, email.key]) }
    }

    private func listsInviting(_ account: AccountID) async throws -> [ListID] {
        try await execute(EmailSQL.lists, [account]).map { try $0.decode(ListID.self, at: 0) }
    }

    /// Uses up a code that was mailed to an address.
    func prove(_ email: EmailAddress, by codeHash: [UInt8]) async throws {
        guard try await !execute(EmailSQL.useCode, [codeHash, email.key]).isEmpty else {
            throw StoreError.wrongEmailCode
        }
    }

    /// Takes an unverified address from the account that has it.
    /// - Returns: that account.
    func release(_ email: EmailAddress, but account: AccountID? = nil) async throws -> AccountID? {
        try await execute(EmailSQL.release, [email.key, account]).first.map { try $0.decode(AccountID.self, at: 0) }
    }
}
