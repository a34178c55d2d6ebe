public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

// Whose an address is.

extension Store {
    /// Keeps a code that is about to be sent to an address.
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - lifetime: milliseconds.
    ///   - limit: codes for one address within an hour.
    /// - Returns: until when it can be used; nil when the address has had as many as it may.
    public func createEmailCode(
        hash: [UInt8], for email: EmailAddress, lifetime: Int64, limit: Int
    ) async throws(StoreError) -> Timestamp? {
        try await first(EmailSQL.insertCode, [hash, email.key, lifetime, limit]) { row throws(PostgresError) in
            try row.decode(Timestamp.self, at: 0)
        }
    }

    /// Takes back a code that could not be sent.
    public func deleteEmailCode(hash: [UInt8]) async throws(StoreError) {
        try await execute(EmailSQL.deleteCode, [hash])
    }

    /// Gives an account an address that its person has shown to be theirs. Another account that has it and never showed so
    /// gives it up. Invitations by name by which the person has come onto lists name them by the new address.
    /// - Parameter codeHash: SHA-256 of a code that was sent to the address. It is used up.
    /// - Throws: `.wrongEmailCode`; `.emailTaken`, when somebody else has shown that the address is theirs.
    public func setEmail(
        _ email: EmailAddress, of account: AccountID, codeHash: [UInt8]
    ) async throws(StoreError) -> AccountResponse {
        let changed: (response: AccountResponse, released: AccountID?)
        do {
            changed = try await transaction { connection in
                let lists = try await connection.lockInviting(account)
                try await connection.prove(email, by: codeHash)
                let released = try await connection.release(email, but: account)
                try await connection.moveInvitations(of: account, on: lists, to: email)
                let rows = try await connection.execute(EmailSQL.set, [account, email.text, email.key])
                guard let row = rows.first else { throw StoreError.wrongEmailCode }
                return (try AccountResponse(row: row), released)
            }
        } catch .database(let error) where error.sqlState == .uniqueViolation {
            throw .emailTaken
        }
        for person in [account, changed.released].compactMap(\.self) { try await tellLists(of: person) }
        return changed.response
    }

    /// The operator's word that an account's address is its person's.
    public func verifyEmail(of account: AccountID) async throws(StoreError) {
        try await execute(EmailSQL.verify, [account])
    }

    /// Puts an account's present address into the streams of its lists.
    func tellLists(of account: AccountID) async throws(StoreError) {
        let lists = try await all(MemberSQL.lists, [account]) { row throws(PostgresError) in
            try row.decode(ListID.self, at: 0)
        }
        for list in lists {
            try await transaction { connection in
                guard let row = try await connection.execute(ListSQL.lockUnasked, [list]).first,
                    // Of a list that was never shared the stream says nothing.
                    let latest = try await connection.latestShare(of: list)
                else { return }
                let locked = try LockedList(list, row: row, role: .owner, permission: .readWrite)
                try await connection.recordShare(of: locked, unless: latest)
            }
        }
    }

    // MARK: Mail

    public func noteMailSent() async throws(StoreError) { try await execute(EmailSQL.noteSent) }

    /// - Parameter reason: without the address.
    public func noteMailFailed(_ reason: String) async throws(StoreError) {
        try await execute(EmailSQL.noteFailed, [reason])
    }
}

extension Connection {
    /// Locks the lists on which invitations name an account that is or was there. Locks are taken in one order everywhere: lists by
    /// their ids, then the account.
    fileprivate func lockInviting(_ account: AccountID) async throws -> [ListID] {
        let lists = try await inviting(account)
        for list in lists { try await execute(ListSQL.lockUnasked, [list]) }
        return lists
    }

    /// Has the invitations to lists, whose locks are held, name an account by another address.
    fileprivate func moveInvitations(of account: AccountID, on lists: [ListID], to email: EmailAddress) async throws {
        guard let row = try await execute(AccountSQL.lock, [account]).first else { return }
        let before = try row.decode(String.self, at: 0)
        guard try await Set(inviting(account)).isSubset(of: lists) else {
            // It has come onto a list since we looked. That is over now, so the next try sees it.
            throw StoreError.unavailable(PostgresError(.cancelled, "the account has just joined a list"))
        }
        for list in lists { try await execute(EmailSQL.moveInvitations, [list, before, email.text, email.key]) }
    }

    private func inviting(_ account: AccountID) async throws -> [ListID] {
        try await execute(EmailSQL.lists, [account]).map { try $0.decode(ListID.self, at: 0) }
    }

    /// Uses up a code that was sent to an address.
    func prove(_ email: EmailAddress, by codeHash: [UInt8]) async throws {
        guard try await !execute(EmailSQL.useCode, [codeHash, email.key]).isEmpty else {
            throw StoreError.wrongEmailCode
        }
    }

    /// Takes an address from an account that never showed it to be its person's.
    /// - Returns: that account.
    func release(_ email: EmailAddress, but account: AccountID? = nil) async throws -> AccountID? {
        try await execute(EmailSQL.release, [email.key, account]).first.map { try $0.decode(AccountID.self, at: 0) }
    }
}
