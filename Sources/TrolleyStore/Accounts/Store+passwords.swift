public import TrolleyJournal
import TrolleyPostgres

extension Store {
    /// Sets an account's password and ends its sessions, but for the one that asks. Codes that would reset it work no more.
    /// - Parameters:
    ///   - old: the stored hash that the present password was compared with.
    ///   - new: the hash to store.
    /// - Returns: the devices whose sessions ended.
    /// - Throws: `.passwordChanged`, when the present password is another one meanwhile.
    public func changePassword(
        of session: Session, from old: String, to new: String
    ) async throws(StoreError) -> [DeviceID] {
        try await endingSessions { connection in
            // The account's row first: who signs in meanwhile waits for it (`DeviceSQL.insert`) and is refused.
            let changed = try await connection.execute(PasswordSQL.change, [session.account, old, new])
            guard !changed.isEmpty else { throw StoreError.passwordChanged }
            try await connection.execute(PasswordSQL.forgetResets, [session.account])
            return try await connection.endSessions(of: session.account, but: session.device)
        }
    }

    /// Lets somebody set an account's password once.
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - lifetime: milliseconds.
    /// - Returns: until when it can be used.
    public func createPasswordReset(
        hash: [UInt8], account: AccountID, lifetime: Int64
    ) async throws(StoreError) -> Timestamp {
        try await one(PasswordSQL.insertReset, [hash, account, lifetime]) { row throws(PostgresError) in
            try row.decode(Timestamp.self, at: 0)
        }
    }

    /// Whether the code would set the password of the account with this address. Uses nothing up.
    public func canResetPassword(of email: EmailAddress, codeHash: [UInt8]) async throws(StoreError) -> Bool {
        // PostgreSQL's text can't hold U+0000, so no account has it.
        guard !email.text.utf8.contains(0) else { return false }
        return try await one(PasswordSQL.isReset, [codeHash, email.key]) { row throws(PostgresError) in
            try row.decode(Bool.self, at: 0)
        }
    }

    /// Sets the password of the account with this address, by a code, and ends all its sessions.
    /// - Returns: the devices whose sessions ended.
    /// - Throws: `.passwordChanged`, when the code was used meanwhile.
    public func resetPassword(
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

    /// Ends all of an account's sessions. Doing it again changes nothing.
    /// - Returns: the devices whose sessions ended.
    @discardableResult
    public func signOutEverywhere(_ account: AccountID) async throws(StoreError) -> [DeviceID] {
        try await endingSessions { try await $0.endSessions(of: account, but: nil) }
    }

    /// Ends the sessions that nobody has used for ``sessionIdle``. They opened nothing any more.
    /// - Returns: the devices whose sessions ended.
    @discardableResult
    public func endIdleSessions() async throws(StoreError) -> [DeviceID] {
        guard let sessionIdle else { return [] }
        return try await endingSessions { connection in
            try await connection.forget(connection.execute(DeviceSQL.signOutIdle, [sessionIdle]))
        }
    }
}

extension Connection {
    /// Ends an account's sessions, whose row is locked, but for one device's.
    fileprivate func endSessions(of account: AccountID, but device: DeviceID?) async throws -> [DeviceID] {
        try await forget(execute(DeviceSQL.signOutAll, [account, device]))
    }

    /// What else goes with sessions that were just ended: queues that the service drives, and presence.
    fileprivate func forget(_ ended: Rows) async throws -> [DeviceID] {
        let devices = try ended.map { try $0.decode(DeviceID.self, at: 0) }
        guard !devices.isEmpty else { return [] }
        for device in devices {
            try await execute(HostedDeviceSQL.delete, [device])
            try await execute(PresenceSQL.leaveAll, [device])
        }
        return devices
    }
}
