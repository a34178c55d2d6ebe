public import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// Who is on a list, and what they may.

extension Store {
    /// The owner stops sharing: everybody else is off the list, and no invitation works any more. Doing it again changes
    /// nothing.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`.
    public func stopSharing(_ list: ListID, by account: AccountID) async throws(StoreError) {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            let before = try await connection.share(of: list)
            try await connection.execute(
                MemberSQL.removeParticipants, [list, ListGoneReason.stoppedSharing.rawValue])
            try await connection.execute(InvitationSQL.withdrawAll, [list])
            try await connection.recordShare(of: locked, unless: before)
        }
    }

    /// The owner removes a participant, or a participant leaves. Doing it again changes nothing.
    /// - Throws: `.notOnList`, `.gone` (unless it is oneself who goes), `.ownerOnly`, `.ownerStays`,
    ///   `.unknownParticipant`.
    public func removeParticipant(
        _ participant: AccountID, from list: ListID, by account: AccountID
    ) async throws(StoreError) {
        try await transaction { connection in
            let locked: LockedList
            do { locked = try await connection.lock(list, for: account) } catch StoreError.gone
                where
                participant == account
            { return }
            guard locked.role == .owner || participant == account else { throw StoreError.ownerOnly }
            guard locked.role == .participant || participant != account else { throw StoreError.ownerStays }
            try await connection.remove(participant, from: locked, byOwner: locked.role == .owner)
        }
    }

    /// The owner changes what a participant may do. Doing it again changes nothing.
    /// - Returns: the share, as it is now.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.ownerMayAll`, `.unknownParticipant`.
    public func permit(
        _ permission: Permission, to participant: AccountID, on list: ListID, by account: AccountID
    ) async throws(StoreError) -> ShareState {
        try await transaction { connection in
            let locked = try await connection.lockAsOwner(list, account)
            guard participant != account else { throw StoreError.ownerMayAll }
            let before = try await connection.share(of: list)
            let permitted = try await connection.execute(
                MemberSQL.permit, [list, participant, permission.rawValue])
            guard !permitted.isEmpty else { throw StoreError.unknownParticipant }
            // Otherwise leaving and coming back would undo it.
            try await connection.execute(InvitationSQL.permitAccount, [list, participant, permission.rawValue])
            return try await connection.recordShare(of: locked, unless: before)
        }
    }

    /// The owner hands the list over to a participant and stays on it as one who may change it. Doing it again changes
    /// nothing.
    /// - Returns: the share, as a participant sees it now.
    /// - Throws: `.notOnList`, `.gone`, `.ownerOnly`, `.unknownParticipant`.
    public func handOver(
        _ list: ListID, to participant: AccountID, by account: AccountID
    ) async throws(StoreError) -> ShareState {
        try await transaction { connection in
            let locked = try await connection.lock(list, for: account)
            let before = try await connection.share(of: list)
            // Asked again by who owned it before: it is done.
            if before.participants.contains(where: { $0.role == .owner && $0.account == participant }) {
                return before.shown(to: locked.role)
            }
            guard locked.role == .owner else { throw StoreError.ownerOnly }
            try await connection.handOver(locked, to: participant)
            return try await connection.recordShare(of: locked, unless: before).shown(to: .participant)
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

    /// Takes somebody off a list whose lock is held; when it is the owner's wish, their invitations end with it. Doing
    /// it again changes nothing.
    func remove(_ participant: AccountID, from list: LockedList, byOwner: Bool) async throws {
        let before = try await share(of: list.id)
        var found = try await execute(MemberSQL.remove, [list.id, participant, ListGoneReason.removed.rawValue]).count
        try await execute(InvitationSQL.deleteUsed, [list.id, participant])
        // Also of somebody who has left or never came: the owner doesn't want them here.
        if byOwner { found += try await execute(InvitationSQL.withdrawFromAccount, [list.id, participant]).count }
        if found == 0 {
            let earlier = try await execute(MemberSQL.departure, [list.id, participant])
            guard !earlier.isEmpty else { throw StoreError.unknownParticipant }
        }
        // Who leaves is told apart from who was removed: they stand in this one state of the share as having left.
        var leaver = byOwner ? nil : before.participants.first { $0.account == participant }
        leaver?.status = .left
        try await recordShare(of: list, unless: before, departing: leaver)
    }
}
