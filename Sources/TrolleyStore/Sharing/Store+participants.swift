package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// Participants and their permissions.

extension Store {
    /// The owner stops sharing: everybody else leaves the list and all invitations end. Repeating the call changes
    /// nothing.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`.
    package func stopSharing(_ list: ListID, by account: AccountID) async throws(StoreError) {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            let before = try await connection.share(of: list)
            try await connection.execute(
                MemberSQL.removeParticipants, [list, ListGoneReason.stoppedSharing.rawValue])
            try await connection.execute(InvitationSQL.withdrawAll, [list])
            try await connection.execute(DeliverySQL.deleteOfOthers, [list, account])
            try await connection.endRooms(of: list)
            try await connection.recordShare(of: locked, unless: before)
        }
    }

    /// The owner removes a participant, or a participant leaves. Repeating the call changes nothing.
    /// - Throws: `.notOnList`, `.gone` (unless the account removes itself), `.ownerOnly`, `.ownerCannotLeave`,
    ///   `.unknownParticipant`.
    package func removeParticipant(
        _ participant: AccountID, from list: ListID, by account: AccountID
    ) async throws(StoreError) {
        try await transaction { connection in
            let locked: LockedMembership
            do { locked = try await connection.lock(list, for: account) } catch StoreError.gone
                where
                participant == account
            { return }
            guard locked.role == .owner || participant == account else { throw StoreError.ownerOnly }
            guard locked.role == .participant || participant != account else { throw StoreError.ownerCannotLeave }
            try await connection.remove(participant, from: locked.list, byOwner: locked.role == .owner)
        }
    }

    /// The owner changes a participant's permission. Repeating the call changes nothing.
    /// - Returns: the new state of the share.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.ownerHasFullPermission`, `.unknownParticipant`.
    package func permit(
        _ permission: Permission, to participant: AccountID, on list: ListID, by account: AccountID
    ) async throws(StoreError) -> ShareState {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            guard participant != account else { throw StoreError.ownerHasFullPermission }
            let before = try await connection.share(of: list)
            let permitted = try await connection.execute(
                MemberSQL.permit, [list, participant, permission.rawValue])
            guard !permitted.isEmpty else { throw StoreError.unknownParticipant }
            // Otherwise leaving and returning would undo the change.
            try await connection.execute(InvitationSQL.permitAccount, [list, participant, permission.rawValue])
            return try await connection.recordShare(of: locked, unless: before, within: RecordedShare.bytesPerList)
        }
    }

    /// The owner makes a participant the new owner and stays as a participant who may change the list. Repeating the
    /// call changes nothing.
    /// - Returns: the new state of the share, as a participant sees it.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.unknownParticipant`.
    package func handOver(
        _ list: ListID, to participant: AccountID, by account: AccountID
    ) async throws(StoreError) -> ShareState {
        try await transaction { connection in
            let locked = try await connection.lock(list, for: account)
            let before = try await connection.share(of: list)
            // The former owner repeats a call that has succeeded.
            if before.participants.contains(where: { $0.role == .owner && $0.account == participant }) {
                return before.shown(to: locked.role)
            }
            guard locked.role == .owner else { throw StoreError.ownerOnly }
            try await connection.handOver(locked.list, to: participant)
            return try await connection.recordShare(of: locked.list, unless: before, within: RecordedShare.bytesPerList)
                .shown(to: .participant)
        }
    }
}

extension Connection {
    /// Makes a participant the owner of a list whose lock is held.
    func handOver(_ list: LockedList, to participant: AccountID) async throws {
        try await execute(MemberSQL.demoteOwner, [list.id])
        let promoted = try await execute(MemberSQL.promote, [list.id, participant])
        guard !promoted.isEmpty else { throw StoreError.unknownParticipant }
        try await execute(ListSQL.setOwner, [list.id, participant, list.now])
    }

    /// Removes somebody from a list whose lock is held. If the owner removes them, their invitations end too. Repeating
    /// the call changes nothing.
    func remove(_ participant: AccountID, from list: LockedList, byOwner: Bool) async throws {
        let before = try await share(of: list.id)
        var found = try await execute(MemberSQL.remove, [list.id, participant, ListGoneReason.removed.rawValue]).count
        if found > 0 { try await endRooms(of: list.id) }
        try await execute(InvitationSQL.deleteUsed, [list.id, participant])
        if byOwner { try await shut(list.id, to: participant) }
        try await execute(DeliverySQL.deleteOfPerson, [list.id, participant])
        // Also ends invitations of a person who has left or never joined, because the owner doesn't want them on the
        // list.
        if byOwner { found += try await execute(InvitationSQL.withdrawFromAccount, [list.id, participant]).count }
        if found == 0 {
            let earlier = try await execute(MemberSQL.departure, [list.id, participant])
            guard !earlier.isEmpty else { throw StoreError.unknownParticipant }
        }
        // The share shows a person who leaves once more with that status; a removed person is simply missing.
        var leaver = byOwner ? nil : before.participants.first { $0.account == participant }
        leaver?.status = .left
        try await recordShare(of: list, unless: before, departing: leaver)
    }

    /// Keeps somebody who is no longer wanted on a list from returning by a link: one for several people, or one that they made
    /// when the list was theirs.
    func shut(_ list: ListID, to account: AccountID) async throws {
        try await execute(InvitationSQL.withdrawLinksOf, [list, account])
        try await execute(InvitationSQL.bar, [list, account])
    }
}
