public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// A way onto a list, to be made.
public struct NewInvitation: Sendable {
    /// Whom it is for; nil: whoever comes first.
    public var email: EmailAddress?
    public var permission: Permission
    /// SHA-256 of its secret.
    public var secretHash: [UInt8]
    /// Milliseconds; nil: until it is withdrawn.
    public var expiresIn: Int64?

    public init(email: EmailAddress?, permission: Permission, secretHash: [UInt8], expiresIn: Int64? = nil) {
        self.email = email
        self.permission = permission
        self.secretHash = secretHash
        self.expiresIn = expiresIn
    }
}

/// A way onto a list, as it was made.
public struct MadeInvitation: Hashable, Sendable {
    public let id: InvitationID
    public let email: String?
    public let permission: Permission
    public let expiresAt: Timestamp?
}

// The owner's side.

extension Store {
    /// Makes a way onto a list. The same secret again answers the same invitation.
    /// - Parameter limit: people on the list at the most, the invited among them. Nor may open invitations pile up: five times
    ///   as many at the most.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.secretTaken`, `.tooManyParticipants`.
    @discardableResult
    public func invite(
        _ invitation: NewInvitation, to list: ListID, by account: AccountID, limit: Int
    ) async throws(StoreError) -> MadeInvitation {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            return try await connection.invite([invitation], to: locked, by: account, limit: limit)[0]
        }
    }

    /// The invitations to a list that can still be used, oldest first.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`.
    public func invitations(to list: ListID, for account: AccountID) async throws(StoreError) -> [OpenInvitation] {
        try await snapshot { connection in
            guard let row = try await connection.execute(ListSQL.forAccount, [account, list]).first else {
                throw try await connection.absence(of: account, from: list)
            }
            guard try ListResponse(row: row).role == .owner else { throw StoreError.ownerOnly }
            return try await connection.execute(InvitationSQL.ofList, [list]).map(OpenInvitation.init(row:))
        }
    }

    /// Ends an invitation. Who is on the list by it stays, and can't come back by it. Doing it again changes nothing.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.noSuchInvitation`, also for a link that was used.
    public func withdraw(
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

    /// Ends the invitations whose time is over, so that the lists' streams say so.
    /// - Returns: whether there were any.
    public func endExpiredInvitations() async throws(StoreError) -> Bool {
        let lists = try await all(InvitationSQL.expiredLists) { row throws(PostgresError) in
            try row.decode(ListID.self, at: 0)
        }
        for list in lists {
            try await transaction { connection in
                guard let row = try await connection.execute(ListSQL.lockUnasked, [list]).first else { return }
                let locked = try LockedList(list, row: row, role: .owner, permission: .readWrite)
                let expired = try await connection.execute(InvitationSQL.expire, [list])
                // A link is in no state of the share. Of invitations by name the share says nothing from the moment they
                // expire, so what counts is what the stream said last.
                guard try expired.contains(where: { try $0.decode(Bool.self, at: 0) }) else { return }
                try await connection.recordShare(of: locked, unless: connection.latestShare(of: list))
            }
        }
        return !lists.isEmpty
    }
}

extension Connection {
    /// Makes invitations to a list whose lock is held, as one state of its share; those that are there already, by
    /// their secrets, are found.
    func invite(
        _ invitations: [NewInvitation], to list: LockedList, by account: AccountID, limit: Int
    ) async throws -> [MadeInvitation] {
        let before = try await share(of: list.id)
        for invitation in invitations {
            try await execute(
                InvitationSQL.insert,
                [
                    list.id, InvitationID.version7(at: list.now, random: RandomBits.random), invitation.secretHash,
                    invitation.email?.key, invitation.email?.text, invitation.permission.rawValue, account,
                    invitation.expiresIn,
                ])
            if let email = invitation.email {
                try await execute(InvitationSQL.permit, [list.id, email.key, invitation.permission.rawValue])
            }
        }
        let made = try await find(invitations, to: list.id)
        let share = try await recordShare(of: list, unless: before)
        let open = try await execute(InvitationSQL.ofList, [list.id]).count
        guard share.participants.count <= limit, open <= 5 * limit else { throw StoreError.tooManyParticipants }
        return try made.map { found in
            guard let found else { throw StoreError.secretTaken }
            return found
        }
    }

    /// Finds invitations by their secrets; nil where there is none, or none to this list.
    /// - Throws: `StoreError.secretTaken` when a secret opens something else.
    func find(_ invitations: [NewInvitation], to list: ListID) async throws -> [MadeInvitation?] {
        let rows = try await execute(InvitationSQL.bySecrets, [invitations.map(\.secretHash)])
        var found: [[UInt8]: MadeInvitation] = [:]
        for row in rows {
            let (place, secret, id, email, permission, expiresAt) = try row.decode(
                (ListID, [UInt8], InvitationID, String?, Permission, Timestamp?).self)
            guard place == list else { throw StoreError.secretTaken }
            found[secret] = MadeInvitation(id: id, email: email, permission: permission, expiresAt: expiresAt)
        }
        return try invitations.map { invitation in
            guard let made = found[invitation.secretHash] else { return nil }
            guard made.email?.lowercased() == invitation.email?.key else { throw StoreError.secretTaken }
            return made
        }
    }

    /// What the list's stream said last of its people, without those who have gone.
    func latestShare(of list: ListID) async throws -> ShareState? {
        guard let row = try await execute(ShareSQL.latest, [list]).first,
            case .share(var share) = try Change(column: try row.decode(String.self, at: 0)).body
        else { return nil }
        share.participants.removeAll { !$0.isOnList }
        return share
    }

    /// Takes the list's lock for somebody who must own it.
    func lockAsOwner(_ list: ListID, _ account: AccountID) async throws -> LockedList {
        let locked = try await lock(list, for: account)
        guard locked.role == .owner else { throw StoreError.ownerOnly }
        return locked
    }
}

extension OpenInvitation {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, email, permission, createdAt, expiresAt, accepted) = try row.decode(
            (InvitationID, String?, Permission, Timestamp, Timestamp?, Bool).self)
        self.init(
            id: id, email: email, permission: permission, createdAt: createdAt, expiresAt: expiresAt,
            accepted: accepted)
    }
}
