package import TrolleyJournal
import TrolleyPostgres

extension Store {
    /// Changes an account's password and ends its sessions, except the caller's. Codes for resetting the password
    /// become invalid.
    /// - Parameters:
    ///   - old: the stored hash that the present password was compared with.
    ///   - new: the hash to store.
    /// - Returns: the devices whose sessions ended.
    /// - Throws: `.passwordChanged`, when the password was changed meanwhile.
    package func changePassword(
        of session: Session, from old: String, to new: String
    ) async throws(StoreError) -> [DeviceID] {
        try await endingSessions { connection in
            // Locks the account's row first. A concurrent sign-in (`DeviceSQL.insert`) waits for it and is then
            // refused.
            let changed = try await connection.execute(PasswordSQL.change, [session.account, old, new])
            guard !changed.isEmpty else { throw StoreError.passwordChanged }
            try await connection.execute(PasswordSQL.forgetResets, [session.account])
            return try await connection.endSessions(of: session.account, but: session.device)
        }
    }

    /// Stores a code with which an account's password can be set once.
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - lifetime: milliseconds.
    /// - Returns: when the code expires.
    package func createPasswordReset(
        hash: [UInt8], account: AccountID, lifetime: Int64
    ) async throws(StoreError) -> Timestamp {
        try await one(PasswordSQL.insertReset, [hash, account, lifetime]) { row throws(PostgresError) in
            try row.decode(Timestamp.self, at: 0)
        }
    }

    /// Whether the code can set the password of the account with this address. Doesn't use up the code.
    package func canResetPassword(of email: EmailAddress, codeHash: [UInt8]) async throws(StoreError) -> Bool {
        // PostgreSQL's text can't hold U+0000, so no account has such an address.
        guard !email.text.utf8.contains(0) else { return false }
        return try await one(PasswordSQL.isReset, [codeHash, email.key]) { row throws(PostgresError) in
            try row.decode(Bool.self, at: 0)
        }
    }

    /// Sets the password of the account with this address by a code, and ends all sessions of the account.
    /// - Returns: the devices whose sessions ended.
    /// - Throws: `.passwordChanged`, when the code was used meanwhile.
    package func resetPassword(
        of email: EmailAddress, codeHash: [UInt8], to new: String
    ) async throws(StoreError) -> [DeviceID] {
        try await endingSessions { connection in
            let used = try await connection.execute(PasswordSQL.useReset, [codeHash, email.key])
            guard let account = try used.first?.decode(AccountID.self, at: 0) else {
                throw StoreError.passwordChanged
            }
            try await connection.execute(PasswordSQL.set, [account, new])
            try await connection.execute(PasswordSQL.forgetResets, [account])
            return try await connection.endSessions(of: account, but: nil)
        }
    }

    /// Ends all sessions of an account. Repeating the call changes nothing.
    /// - Returns: the devices whose sessions ended.
    @discardableResult
    package func signOutEverywhere(_ account: AccountID) async throws(StoreError) -> [DeviceID] {
        try await endingSessions { connection in
            try await connection.execute(AccountSQL.lock, [account])
            return try await connection.endSessions(of: account, but: nil)
        }
    }
}

extension Connection {
    /// Ends the sessions of an account whose row is locked, except the one of `device`.
    fileprivate func endSessions(of account: AccountID, but device: DeviceID?) async throws -> [DeviceID] {
        try await forget(execute(DeviceSQL.signOutAll, [account, device]))
    }
}
