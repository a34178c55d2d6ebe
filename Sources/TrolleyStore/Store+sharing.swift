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

    public init(email: EmailAddress?, permission: Permission, secretHash: [UInt8]) {
        self.email = email
        self.permission = permission
        self.secretHash = secretHash
    }
}

extension Store {
    /// The people of a list, and those invited to it.
    /// - Throws: `.notOnList`, `.gone`.
    public func share(of list: ListID, for account: AccountID) async throws(StoreError) -> ShareState {
        try await snapshot { connection in
            try await connection.expect(account, on: list)
            return try await connection.share(of: list)
        }
    }

    /// Makes a way onto a list.
    /// - Parameter limit: people on the list at the most, the invited among them.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.tooManyParticipants`.
    public func invite(
        _ invitation: NewInvitation, to list: ListID, by account: AccountID, limit: Int
    ) async throws(StoreError) {
        try await transaction { connection in
            let locked = try await connection.lock(list, for: account)
            guard locked.role == .owner else { throw StoreError.ownerOnly }
            let before = try await connection.share(of: list)
            try await connection.execute(
                InvitationSQL.insert,
                [list, invitation.secretHash, invitation.email?.key, invitation.permission.rawValue, account])
            let after = try await connection.recordShare(of: locked, unless: before)
            guard after.participants.count <= limit else { throw StoreError.tooManyParticipants }
        }
    }

    /// What an invitation leads to. Changes nothing.
    /// - Throws: `.unknownInvitation`, also when it is for somebody else.
    public func previewInvitation(
        secretHash: [UInt8], for account: AccountID
    ) async throws(StoreError) -> InvitationPreview {
        try await transaction { connection in
            let found = try await connection.usableInvitation(secretHash, account)
            let isMember = try await !connection.execute(MemberSQL.of, [found.list, account]).isEmpty
            let entries = try await connection.execute(EntrySQL.ofList, [found.list])
            let state = ListState(folding: try entries.map { try ConfirmedEntry(row: $0) })
            return InvitationPreview(
                list: found.list, name: state.name, colour: state.colour, owner: found.owner,
                permission: found.permission, accepted: isMember)
        }
    }

    /// Puts the account on the invitation's list. Doing it again changes nothing.
    /// - Throws: `.unknownInvitation`, also when it is for somebody else or was used; `.tooManyParticipants`.
    public func acceptInvitation(
        secretHash: [UInt8], by account: AccountID, limit: Int
    ) async throws(StoreError) -> ListResponse {
        try await transaction { connection in
            let list = try await connection.usableInvitation(secretHash, account).list
            // Not `lock(_:for:)`: the account isn't on the list yet.
            guard let row = try await connection.execute(ListSQL.lockUnasked, [list]).first else {
                throw StoreError.unknownInvitation
            }
            // Somebody who is on the list already uses nothing up.
            if try await connection.execute(MemberSQL.of, [list, account]).isEmpty {
                let locked = try LockedList(list, row: row, role: .participant, permission: .readOnly)
                let share = try await connection.join(account, locked, secretHash: secretHash)
                guard share.participants.count <= limit else { throw StoreError.tooManyParticipants }
            }
            let rowsOfList = try await connection.execute(ListSQL.forAccount, [account, list])
            guard let row = rowsOfList.first else { throw StoreError.unknownInvitation }
            return try ListResponse(row: row)
        }
    }

    /// The owner stops sharing: everybody else is off the list, and no invitation works any more. Doing it again changes
    /// nothing.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`.
    public func stopSharing(_ list: ListID, by account: AccountID) async throws(StoreError) {
        try await transaction { connection in
            let locked = try await connection.lock(list, for: account)
            guard locked.role == .owner else { throw StoreError.ownerOnly }
            let before = try await connection.share(of: list)
            try await connection.execute(
                MemberSQL.removeParticipants, [list, ListGoneReason.stoppedSharing.rawValue])
            try await connection.execute(InvitationSQL.deleteOfList, [list])
            try await connection.recordShare(of: locked, unless: before)
        }
    }

    /// The owner removes a participant, or a participant leaves. Doing it again changes nothing.
    /// - Throws: `.notOnList`, `.gone` (unless it is oneself who left), `.ownerOnly`, `.ownerStays`, `.unknownParticipant`.
    public func removeParticipant(
        _ participant: AccountID, from list: ListID, by account: AccountID
    ) async throws(StoreError) {
        try await transaction { connection in
            let locked: LockedList
            do { locked = try await connection.lock(list, for: account) } catch StoreError.gone(.removed)
                where
                participant == account
            { return }
            guard locked.role == .owner || participant == account else { throw StoreError.ownerOnly }
            guard locked.role == .participant || participant != account else { throw StoreError.ownerStays }
            try await connection.remove(participant, from: locked, byOwner: locked.role == .owner)
        }
    }
}

extension Connection {
    /// Takes somebody off a list whose lock is held; when it is the owner's wish, their invitations go with them. Doing
    /// it again changes nothing.
    func remove(_ participant: AccountID, from list: LockedList, byOwner: Bool) async throws {
        let before = try await share(of: list.id)
        let removed = try await execute(MemberSQL.remove, [list.id, participant, ListGoneReason.removed.rawValue])
        // Also of somebody who has left or never came: the owner doesn't want them here.
        let withdrawn = try await execute(InvitationSQL.withdraw, [list.id, participant, byOwner])
        if removed.isEmpty && withdrawn.isEmpty {
            let earlier = try await execute(MemberSQL.departure, [list.id, participant])
            guard !earlier.isEmpty else { throw StoreError.unknownParticipant }
        }
        // Who leaves is told apart from who was removed: they stand in this one state of the share as having left.
        let leaver = byOwner ? nil : before.participants.first { $0.account == participant }
        try await recordShare(of: list, unless: before, leaver: leaver)
    }

    /// Uses an invitation to a list whose lock is held.
    fileprivate func join(_ account: AccountID, _ list: LockedList, secretHash: [UInt8]) async throws -> ShareState {
        guard let use = try await execute(InvitationSQL.use, [list.id, secretHash, account]).first else {
            throw StoreError.unknownInvitation
        }
        let permission = try use.decode(Permission.self, at: 0)
        try await execute(MemberSQL.insert, [list.id, account, Role.participant.rawValue, permission.rawValue])
        try await execute(MemberSQL.returned, [list.id, account])
        return try await recordShare(of: list)
    }

    func share(of list: ListID) async throws -> ShareState {
        let rows = try await execute(ShareSQL.participants, [list])
        return ShareState(
            participants: try rows.map { row in try Participant(row: row) }.sorted(by: Participant.precedes))
    }

    /// Puts the present state of the share into the list's stream, if it is another than `before`.
    @discardableResult
    fileprivate func recordShare(
        of list: LockedList, unless before: ShareState? = nil, leaver: Participant? = nil
    ) async throws -> ShareState {
        var share = try await share(of: list.id)
        if var leaver, !share.participants.contains(where: { $0.account == leaver.account }) {
            leaver.status = .left
            share.participants.append(leaver)
        }
        guard share != before else { return share }
        let sequence = list.head.advanced(by: 1)
        _ = try await pipeline([
            EventSQL.insert([Change(sequence: sequence, body: .share(share))], into: list),
            .execute(ListSQL.advance, [list.id, sequence]),
        ])
        return share
    }

    fileprivate func usableInvitation(
        _ secretHash: [UInt8], _ account: AccountID
    ) async throws -> (list: ListID, permission: Permission, owner: String) {
        let rows = try await execute(InvitationSQL.usable, [secretHash, account])
        guard let row = rows.first else { throw StoreError.unknownInvitation }
        return try row.decode((ListID, Permission, String).self)
    }
}

extension Participant {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, email, name, role, permission, isMember) = try row.decode(
            (AccountID?, String, String?, Role, Permission, Bool).self)
        self.init(
            account: account, email: email, name: name, role: role, permission: permission,
            status: isMember ? .accepted : .invited)
    }

    /// The owner, then who is on the list, then who is invited; by address.
    fileprivate static func precedes(_ left: Participant, _ right: Participant) -> Bool {
        func rank(_ participant: Participant) -> Int {
            participant.role == .owner ? 0 : participant.status == .accepted ? 1 : 2
        }
        return (rank(left), left.email ?? "") < (rank(right), right.email ?? "")
    }
}
