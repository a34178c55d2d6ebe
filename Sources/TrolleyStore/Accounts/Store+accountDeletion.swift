package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Store {
    /// The stored hash of an account's password; nil when the account doesn't exist (any more).
    package func passwordHash(of account: AccountID) async throws(StoreError) -> String? {
        try await first(AccountSQL.passwordHash, [account]) { row throws(PostgresError) in
            try row.decode(String.self, at: 0)
        }
    }

    /// Deletes an account. Each of its lists goes to the participant who may change the list and has been on it longest; a
    /// list without such a participant ends. The account leaves other people's lists. Its name is removed from their
    /// Activity, but its changes stay. Its devices are signed out, its invitations end, and its address becomes free.
    /// Repeating the call changes nothing.
    package func deleteAccount(_ account: AccountID) async throws(StoreError) {
        try await beginDeletion(of: account)
        try await finishDeletion(of: account)
    }

    /// The first step of deleting an account: it is signed out everywhere, nobody can sign in to it any more, and it
    /// joins no list. The deletion is certain from here on, whatever happens to this process.
    package func beginDeletion(of account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            // Waits for lists that the account is just joining, and keeps it from joining others.
            guard try await !connection.execute(AccountSQL.lock, [account]).isEmpty else { return [] }
            try await connection.execute(AccountSQL.beginDeletion, [account])
            let devices = try await connection.execute(AccountSQL.deleteDevices, [account])
            for statement in [AccountSQL.deleteIdentities, PasswordSQL.forgetResets, AccountSQL.recordDeletion] {
                try await connection.execute(statement, [account])
            }
            return try devices.map { try $0.decode(DeviceID.self, at: 0) }
        }
    }

    /// The other steps, each in a transaction of its own: list by list. Does nothing while another process works on it.
    /// - Parameter limit: after this time no further list is begun; nil: all are done.
    /// - Returns: whether the account is gone.
    @discardableResult
    package func finishDeletion(of account: AccountID, within limit: Duration? = nil) async throws(StoreError) -> Bool {
        let start = ContinuousClock.now
        guard try await !execute(AccountSQL.claim, [account, false]).isEmpty else { return false }
        do throws(StoreError) {
            while try await !deletionStep(of: account) {
                if let limit, ContinuousClock.now - start >= limit {
                    try await execute(AccountSQL.release, [account])
                    return false
                }
            }
            return true
        } catch {
            let failure = error
            // If this fails too, the claim ends by itself.
            do { try await execute(AccountSQL.release, [account]) } catch { throw failure }
            throw failure
        }
    }

    /// Goes on with the deletions that another process has left, or that are too long for one request. An account that can't be deleted
    /// yet holds up no other one.
    /// - Returns: whether there were any.
    package func continueDeletions() async throws(StoreError) -> Bool {
        let accounts = try await all(AccountSQL.deletions) { row throws(PostgresError) in
            try row.decode(AccountID.self, at: 0)
        }
        var failure: StoreError?
        for account in accounts {
            do throws(StoreError) { try await finishDeletion(of: account) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return !accounts.isEmpty
    }

    /// Removes the account from its next list, or, after the last, the account itself.
    /// - Returns: whether the account is gone.
    private func deletionStep(of account: AccountID) async throws(StoreError) -> Bool {
        let state = try await first(AccountSQL.claim, [account, true]) { row throws(PostgresError) in
            try row.decode((ListID, [String]).self)
        }
        guard let (after, addresses) = state else { return true }
        guard let list = try await listMentioning(account, after: after) else { return try await endAccount(account) }
        try await transaction { connection in
            try await connection.execute(ListSQL.limitLockWait)
            guard let locked = try await connection.lock(list) else { return }
            try await connection.leave(locked, deleting: account)
        }
        try await redact(account, knownBy: Set(addresses), on: list)
        try await execute(AccountSQL.advance, [account, list])
        return false
    }

    /// The last step.
    private func endAccount(_ account: AccountID) async throws(StoreError) -> Bool {
        try await transaction { connection in
            guard try await !connection.execute(AccountSQL.lock, [account]).isEmpty else { return true }
            guard try await connection.execute(MemberSQL.lists, [account]).isEmpty else {
                // The account was just joining a list when its deletion began.
                try await connection.execute(AccountSQL.restart, [account])
                return false
            }
            try await connection.execute(DeviceSQL.signOutAll, [account, DeviceID?.none])
            for statement in [
                PushSQL.lockTargets, AccountSQL.deleteDepartures, AccountSQL.deleteReadMarks,
                SummarySQL.deleteOfAccount,
                SummarySQL.deleteStatesOfAccount, AccountSQL.delete,
            ] {
                try await connection.execute(statement, [account])
            }
            return true
        }
    }
}

extension Connection {
    /// Removes an account that is being deleted from a list whose lock is held.
    fileprivate func leave(_ list: LockedList, deleting account: AccountID) async throws {
        let people = try await execute(MemberSQL.ofList, [list.id]).map { row in
            try row.decode((AccountID, Role, Permission).self)
        }
        let isMember = people.contains { $0.0 == account }
        let isOwner = people.contains { $0.0 == account && $0.1 == .owner }
        let heir = people.first { $0.0 != account && $0.2 == .readWrite }?.0
        if isOwner && heir == nil {
            return try await end(list.id, because: .accountDeleted)
        }
        let before = try await share(of: list.id)
        if isOwner, let heir { try await handOver(list, to: heir) }
        if isMember {
            try await execute(MemberSQL.remove, [list.id, account, ListGoneReason.removed.rawValue])
            try await endRooms(of: list.id)
        }
        try await execute(AccountSQL.endInvitations, [list.id, account])
        var leaver: Participant?
        if isMember || before.participants.contains(where: { $0.account == account }) {
            leaver = Participant(account: account, status: .left, accountDeleted: true)
        }
        try await recordShare(of: list, unless: before, departing: leaver)
    }
}
