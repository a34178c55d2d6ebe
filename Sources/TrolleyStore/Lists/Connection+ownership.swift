package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// States that an account owned a list that the database may have lost in a restore. The caller has verified the proof
/// before it makes a claim.
package struct OwnershipClaim: Hashable, Sendable {
    /// The account that the proof was issued to.
    package var account: AccountID
    /// When the list was created.
    package var born: Timestamp
    /// When that account became the owner.
    package var since: Timestamp
    /// The people on the list; nil: the claim doesn't say.
    package var people: [ListPerson]?

    package init(account: AccountID, born: Timestamp, since: Timestamp, people: [ListPerson]? = nil) {
        self.account = account
        self.born = born
        self.since = since
        self.people = people
    }
}

extension Connection {
    /// Whether the claim belongs to the account, or to an account that the database doesn't know (any more). In the
    /// second case the same person has signed up again and has the proof from a device of the old account.
    func isValid(_ claim: OwnershipClaim, for account: AccountID) async throws -> Bool {
        if claim.account == account { return true }
        return try await execute(AccountSQL.byID, [claim.account]).isEmpty
    }

    /// Makes the account the owner of a list if its claim is better than that of the present owner; otherwise, and when
    /// the list is deleted, does nothing. The list that was created first wins: a list that was created under the same
    /// id after the database had lost the original loses. Between two owners of the same list, the later owner wins.
    /// - Parameter checkListQuota: throws when the account already owns the largest number of lists.
    func apply(
        _ claim: OwnershipClaim, to id: ListID, for account: AccountID, checkListQuota: () async throws -> Void
    ) async throws {
        guard let locked = try await lock(id) else { return }
        let members = try await execute(MemberSQL.ofList, [id]).map { row in
            try row.decode((AccountID, Role, Permission).self)
        }
        guard let row = try await execute(ListSQL.ownership, [id]).first else { return }
        let (born, since) = try row.decode((Timestamp, Timestamp?).self)
        if claim.born > born { return }
        if claim.born == born, let since, since >= claim.since { return }
        guard let owner = members.first(where: { $0.1 == .owner })?.0, owner != account else {
            try await execute(ListSQL.setOwnership, [id, claim.born, claim.since])
            return
        }
        try await checkListQuota()
        let before = try await share(of: id)
        // Records the previous owner, for the Activity.
        if try await recordedShare(of: id).latest == nil { try await recordShare(of: locked) }
        guard let recorded = try await lock(id) else { return }
        try await execute(
            MemberSQL.insert, [id, account, Role.participant.rawValue, Permission.readWrite.rawValue])
        try await execute(MemberSQL.returned, [id, account])
        try await handOver(recorded, to: account)
        try await execute(ListSQL.setOwnership, [id, claim.born, claim.since])
        if let people = claim.people {
            for (member, _, _) in members where member != account { try await restore(member, on: id, from: people) }
            try await execute(InvitationSQL.withdrawOthers, [id, account])
        }
        try await recordShare(of: recorded, unless: before)
    }

    /// Gives a person on a recovered list the role and permission that the owner's claim states. Removes a person whom
    /// the claim doesn't name, together with their invitations: the account that had taken the list let them in.
    private func restore(_ account: AccountID, on list: ListID, from people: [ListPerson]) async throws {
        if let person = people.first(where: { $0.account == account }) {
            try await execute(MemberSQL.permit, [list, account, person.permission.rawValue])
            return
        }
        try await execute(MemberSQL.remove, [list, account, ListGoneReason.removed.rawValue])
        try await endRooms(of: list)
        try await shut(list, to: account)
        try await execute(DeliverySQL.deleteOfPerson, [list, account])
        try await execute(InvitationSQL.deleteUsed, [list, account])
        try await execute(InvitationSQL.withdrawFromAccount, [list, account])
    }
}
