public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// What an account shows when it makes a list that the database may have lost: that it owned the list once. Whoever makes
/// one has checked the proof.
public struct OwnershipClaim: Hashable, Sendable {
    /// Whom the proof was given to.
    public var account: AccountID
    /// When the list was made.
    public var born: Timestamp
    /// Since when that account owned the list.
    public var since: Timestamp
    /// Who was on the list; nil: the claim doesn't say.
    public var people: [ListPerson]?

    public init(account: AccountID, born: Timestamp, since: Timestamp, people: [ListPerson]? = nil) {
        self.account = account
        self.born = born
        self.since = since
        self.people = people
    }
}

extension Connection {
    /// Whether a claim is the account's own, or of one that the database has never known or no longer knows: the same person
    /// has signed up anew then, and has the proof from the old account's device.
    func isValid(_ claim: OwnershipClaim, for account: AccountID) async throws -> Bool {
        if claim.account == account { return true }
        return try await execute(AccountSQL.byID, [claim.account]).isEmpty
    }

    /// Makes a list the account's, if its claim is better than its owner's. The list that was made first counts: one that was made
    /// under its id after the database had lost it is none, whoever has owned that since when. Of two owners of the same list the later
    /// one is the owner. Nothing happens otherwise, or when the list is deleted.
    /// - Parameter checkRoom: throws when the account owns as many lists as it may.
    func honour(
        _ claim: OwnershipClaim, to id: ListID, for account: AccountID, checkRoom: () async throws -> Void
    ) async throws {
        guard let locked = try await lockUnasked(id) else { return }
        let members = try await execute(MemberSQL.ofList, [id]).map { row in
            try row.decode((AccountID, Role, Permission).self)
        }
        guard let row = try await execute(ListSQL.title, [id]).first else { return }
        let (born, since) = try row.decode((Timestamp, Timestamp?).self)
        if claim.born > born { return }
        if claim.born == born, let since, since >= claim.since { return }
        guard let owner = members.first(where: { $0.1 == .owner })?.0, owner != account else {
            try await execute(ListSQL.setTitle, [id, claim.born, claim.since])
            return
        }
        try await checkRoom()
        let before = try await share(of: id)
        // So that the Activity can tell whose the list was until now.
        if try await execute(ShareSQL.latest, [id]).isEmpty { try await recordShare(of: locked) }
        guard let said = try await lockUnasked(id) else { return }
        try await execute(
            MemberSQL.insert, [id, account, Role.participant.rawValue, Permission.readWrite.rawValue])
        try await execute(MemberSQL.returned, [id, account])
        try await handOver(said, to: account)
        try await execute(ListSQL.setTitle, [id, claim.born, claim.since])
        if let people = claim.people {
            for (member, _, _) in members where member != account { try await settle(member, on: id, as: people) }
            try await execute(InvitationSQL.withdrawOthers, [id, account])
        }
        try await recordShare(of: said, unless: before)
    }

    private func lockUnasked(_ list: ListID) async throws -> LockedList? {
        let rows = try await execute(ListSQL.lockUnasked, [list])
        return try rows.first.map { try LockedList(list, row: $0, role: .participant, permission: .readWrite) }
    }

    /// Makes somebody who was on a list that its owner had lost what the owner says that they were. Somebody the owner doesn't name
    /// was let in by whoever had taken the list: no invitation brings them back.
    private func settle(_ account: AccountID, on list: ListID, as people: [ListPerson]) async throws {
        if let person = people.first(where: { $0.account == account }) {
            try await execute(MemberSQL.permit, [list, account, person.permission.rawValue])
            return
        }
        try await execute(MemberSQL.remove, [list, account, ListGoneReason.removed.rawValue])
        try await execute(InvitationSQL.deleteUsed, [list, account])
        try await execute(InvitationSQL.withdrawFromAccount, [list, account])
    }
}
