package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// An invitation to create.
package struct NewInvitation: Sendable {
    /// The address that it is for; nil: it is a link.
    package var email: EmailAddress?
    /// How many people may use the link; nil: one.
    package var uses: Int?
    package var permission: Permission
    /// SHA-256 of the secret.
    package var secretHash: [UInt8]
    /// Milliseconds; nil: until it is withdrawn.
    package var expiresIn: Int64?

    package init(
        email: EmailAddress?, uses: Int? = nil, permission: Permission, secretHash: [UInt8], expiresIn: Int64? = nil
    ) {
        self.email = email
        self.uses = uses
        self.permission = permission
        self.secretHash = secretHash
        self.expiresIn = expiresIn
    }
}

/// An invitation that was created.
package struct CreatedInvitation: Hashable, Sendable {
    package let id: InvitationID
    package let email: String?
    package let permission: Permission
    package let expiresAt: Timestamp?
    /// How many people may use the link; nil: one.
    package let uses: Int?
}

// The owner's side.

extension Store {
    /// Creates an invitation. The same secret again returns the same invitation.
    /// - Parameter limit: the largest number of people on the list, including invited ones. At most five times as many
    ///   invitations may be open.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.secretTaken`, `.tooManyParticipants`.
    @discardableResult
    package func invite(
        _ invitation: NewInvitation, to list: ListID, by account: AccountID, limit: Int
    ) async throws(StoreError) -> CreatedInvitation {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            return try await connection.invite([invitation], to: locked, by: account, limit: limit)[0]
        }
    }

    /// The open invitations to a list, oldest first.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`.
    package func invitations(to list: ListID, for account: AccountID) async throws(StoreError) -> [OpenInvitation] {
        try await snapshot { connection in
            guard let row = try await connection.execute(ListSQL.forAccount, [account, list]).first else {
                throw try await connection.membershipError(of: account, from: list)
            }
            guard try ListResponse(row: row).role == .owner else { throw StoreError.ownerOnly }
            return try await connection.execute(InvitationSQL.ofList, [list]).map(OpenInvitation.init(row:))
        }
    }

    /// Ends an invitation. A person who joined by it stays on the list but can't return by it later. Repeating the call
    /// changes nothing.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.noSuchInvitation`, also for a used link.
    package func withdraw(
        _ invitation: InvitationID, to list: ListID, by account: AccountID
    ) async throws(StoreError) {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            let before = try await connection.share(of: list)
            let found = try await connection.execute(InvitationSQL.withdraw, [list, invitation])
            guard !found.isEmpty else { throw StoreError.noSuchInvitation }
            try await connection.recordShare(of: locked, unless: before)
        }
    }

    /// Ends expired invitations, so that the lists' streams record it. A list that can't be changed holds up no other one.
    /// - Parameter told: gets each list that had any.
    package func endExpiredInvitations(told: (ListID) -> Void = { _ in }) async throws(StoreError) {
        let lists = try await all(InvitationSQL.expiredLists) { row throws(PostgresError) in
            try row.decode(ListID.self, at: 0)
        }
        var failure: StoreError?
        for list in lists {
            do throws(StoreError) {
                try await endExpiredInvitations(to: list)
                told(list)
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func endExpiredInvitations(to list: ListID) async throws(StoreError) {
        try await transaction { connection in
            try await connection.execute(ListSQL.limitLockWait)
            guard let locked = try await connection.lock(list) else { return }
            let expired = try await connection.execute(InvitationSQL.expire, [list])
            // A link appears in no state of the share. An invitation by address disappears from the share as soon
            // as it expires, so this compares with the state that the stream recorded last.
            guard try expired.contains(where: { try $0.decode(Bool.self, at: 0) }) else { return }
            try await connection.recordShare(of: locked, unless: connection.latestShare(of: list))
        }
    }
}

extension Connection {
    /// Creates invitations to a list whose lock is held, and records one new state of its share. Invitations whose
    /// secrets exist already are returned as they are.
    func invite(
        _ invitations: [NewInvitation], to list: LockedList, by account: AccountID, limit: Int
    ) async throws -> [CreatedInvitation] {
        let before = try await share(of: list.id)
        for invitation in invitations {
            try await execute(
                InvitationSQL.insert,
                [
                    list.id, InvitationID.version7(at: list.now, random: RandomBits.random), invitation.secretHash,
                    invitation.email?.key, invitation.email?.text, invitation.permission.rawValue, account,
                    invitation.expiresIn, invitation.uses,
                ])
            if let email = invitation.email {
                try await execute(InvitationSQL.permit, [list.id, email.key, invitation.permission.rawValue])
            }
        }
        let made = try await find(invitations, to: list.id)
        let share = try await recordShare(of: list, unless: before, within: RecordedShare.bytesPerList)
        let open = try await execute(InvitationSQL.ofList, [list.id]).count
        guard share.participants.count <= limit, open <= 5 * limit else { throw StoreError.tooManyParticipants }
        return try made.map { found in
            guard let found else { throw StoreError.secretTaken }
            return found
        }
    }

    /// Finds invitations by their secrets; nil where there is no such invitation.
    /// - Throws: `StoreError.secretTaken` when a secret belongs to another invitation.
    func find(_ invitations: [NewInvitation], to list: ListID) async throws -> [CreatedInvitation?] {
        let rows = try await execute(InvitationSQL.bySecrets, [invitations.map(\.secretHash)])
        var found: [[UInt8]: CreatedInvitation] = [:]
        for row in rows {
            let (place, secret, id, email, permission, expiresAt, uses) = try row.decode(
                (ListID, [UInt8], InvitationID, String?, Permission, Timestamp?, Int?).self)
            guard place == list else { throw StoreError.secretTaken }
            found[secret] = CreatedInvitation(
                id: id, email: email, permission: permission, expiresAt: expiresAt, uses: uses)
        }
        return try invitations.map { invitation in
            guard let made = found[invitation.secretHash] else { return nil }
            guard made.email?.lowercased() == invitation.email?.key else { throw StoreError.secretTaken }
            return made
        }
    }

    /// The share's state that the list's stream recorded last, without people who have gone.
    func latestShare(of list: ListID) async throws -> ShareState? {
        guard var share = try await recordedShare(of: list).latest?.state else { return nil }
        share.participants.removeAll { !$0.isOnList }
        return share
    }

    /// Locks the list and checks that the account owns it.
    func lockAsOwner(_ list: ListID, _ account: AccountID) async throws -> LockedList {
        let locked = try await lock(list, for: account)
        guard locked.role == .owner else { throw StoreError.ownerOnly }
        return locked.list
    }
}

extension OpenInvitation {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, email, permission, createdAt, expiresAt, accepted, uses, used) = try row.decode(
            (InvitationID, String?, Permission, Timestamp, Timestamp?, Bool, Int?, Int).self)
        self.init(
            id: id, email: email, permission: permission, createdAt: createdAt, expiresAt: expiresAt,
            accepted: accepted, uses: uses, used: uses.map { _ in used })
    }
}
