package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Role: TextColumn {}
extension Permission: TextColumn {}
extension ListGoneReason: TextColumn {}
extension NotificationLevel: TextColumn {}

extension Store {
    /// Creates a list with its owner. Repeating the call returns the same list.
    /// - Parameters:
    ///   - quota: the number of lists that the account may own; nil: unlimited.
    ///   - claim: that the account owned the list before the database was restored. If somebody else has created the
    ///     list since, without such a claim or with an older one, the account becomes its owner.
    /// - Throws: `.listIDTaken` when the list of that id belongs to somebody else, `.gone` when it was the account's
    ///   own, `.tooManyLists`.
    package func createList(
        _ id: ListID, owner: AccountID, quota: Int? = nil, claim: OwnershipClaim? = nil
    ) async throws(StoreError) -> (list: ListResponse, isNew: Bool) {
        try await transaction { connection in
            try await connection.createList(id, owner: owner, quota: quota, claim: claim)
        }
    }

    /// Creates a list, unless it exists, and shares it, both in one transaction. Repeating the call with the same
    /// secrets returns the same answer.
    /// - Parameters:
    ///   - limit: the largest number of people on the list.
    ///   - quota: the number of lists that the account may own; nil: unlimited.
    ///   - claim: that the account owned the list before the database was restored.
    /// - Throws: as ``createList(_:owner:quota:claim:)`` and ``invite(_:to:by:limit:)``; `.alreadyShared`, when the
    ///   list is shared by other invitations than these.
    package func createList(
        _ id: ListID, owner: AccountID, invitations: [NewInvitation], limit: Int, quota: Int? = nil,
        claim: OwnershipClaim? = nil
    ) async throws(StoreError) -> (list: ListResponse, isNew: Bool, invitations: [CreatedInvitation]) {
        try await transaction { connection in
            let (_, isNew) = try await connection.createList(id, owner: owner, quota: quota, claim: claim)
            let locked = try await connection.lockAsOwner(id, owner)
            var made = try await connection.find(invitations, to: id).compactMap(\.self)
            if made.count < invitations.count {
                let isShared = try await connection.execute(InvitationSQL.isShared, [id])[0].decode(Bool.self, at: 0)
                guard !isShared else { throw StoreError.alreadyShared }
                made = try await connection.invite(invitations, to: locked, by: owner, limit: limit)
            }
            let rows = try await connection.execute(ListSQL.forAccount, [owner, id])
            guard let row = rows.first else { throw StoreError.notOnList }
            return (try ListResponse(row: row), isNew, made)
        }
    }

    /// Whether the list exists or existed, no matter whose it is.
    package func exists(_ list: ListID) async throws(StoreError) -> Bool {
        try await existing([list]).contains(list)
    }

    /// The lists among the given ones that exist or existed, no matter whose they are.
    package func existing(_ lists: Set<ListID>) async throws(StoreError) -> Set<ListID> {
        if lists.isEmpty { return [] }
        return Set(
            try await all(ListSQL.existing, [Array(lists)]) { row throws(PostgresError) in
                try row.decode(ListID.self, at: 0)
            })
    }

    /// The lists that the account is on, oldest first. Fails while a node with one of them is unreachable
    /// (``reachableLists(of:)``).
    package func lists(of account: AccountID) async throws(StoreError) -> [ListResponse] {
        try await all(ListSQL.ofAccount, [account], ListResponse.init(row:))
    }

    /// Deletes the list for everybody if the account is the owner; otherwise the account leaves the list. Repeating the
    /// call changes nothing.
    /// - Throws: `.notOnList`.
    package func deleteList(_ list: ListID, by account: AccountID) async throws(StoreError) {
        try await transaction { connection in
            let locked: LockedMembership
            do { locked = try await connection.lock(list, for: account) } catch StoreError.gone { return }
            guard locked.role == .owner else {
                try await connection.remove(account, from: locked.list, byOwner: false)
                return
            }
            try await connection.end(list, because: .deleted)
        }
    }
}

extension Connection {
    fileprivate func createList(
        _ id: ListID, owner: AccountID, quota: Int?, claim: OwnershipClaim?
    ) async throws -> (list: ListResponse, isNew: Bool) {
        let isNew = try await !execute(ListSQL.insert, [id, owner]).isEmpty
        if isNew {
            try await checkListQuota(for: owner, quota: quota)
            try await execute(MemberSQL.insert, [id, owner, Role.owner.rawValue, Permission.readWrite.rawValue])
        }
        if let claim, try await isValid(claim, for: owner) {
            try await apply(claim, to: id, for: owner) { try await checkListQuota(for: owner, quota: quota) }
        }
        let found = try await execute(ListSQL.forAccount, [owner, id])
        guard let list = try found.first.map(ListResponse.init(row:)) else {
            throw try await membershipError(of: owner, from: id, otherwise: .listIDTaken)
        }
        guard list.role == .owner else { throw StoreError.listIDTaken }
        return (list, isNew)
    }

    /// Ends a list whose lock is held, for everybody on it. Its id can't be used again.
    func end(_ list: ListID, because reason: ListGoneReason) async throws {
        try await execute(ListSQL.markDeleted, [list])
        try await execute(MemberSQL.removeAll, [list, reason.rawValue])
        try await endRooms(of: list)
        for statement in [
            InvitationSQL.deleteOfList, ListSQL.deleteEntries, ListSQL.deleteArchive, ArchiveSQL.deleteIDs,
            ArchiveSQL.deleteReturnedPlaces, ListSQL.deleteEvents, PresenceSQL.deleteReads,
            SummarySQL.deleteOfList, SummarySQL.deleteStatesOfList, DeliverySQL.deleteOfList,
        ] {
            try await execute(statement, [list])
        }
    }

    /// Takes the list's lock for the rest of the transaction.
    /// - Throws: `StoreError.notOnList` or `.gone`.
    func lock(_ list: ListID, for account: AccountID) async throws -> LockedMembership {
        // Reads the membership after taking the lock, because removing somebody takes the same lock.
        let answers = try await pipeline([
            .execute(ListSQL.lock, [list, account]), .execute(MemberSQL.of, [list, account]),
        ])
        guard let row = answers[0].first, let member = answers[1].first else {
            throw try await membershipError(of: account, from: list)
        }
        let (role, permission) = try member.decode((Role, Permission).self)
        return LockedMembership(list: try LockedList(list, row: row), role: role, permission: permission)
    }

    /// Takes the list's lock for the rest of the transaction, for work that is no single person's.
    /// - Returns: nil when there is no such list (any more).
    func lock(_ list: ListID) async throws -> LockedList? {
        try await execute(ListSQL.lockUnchecked, [list]).first.map { try LockedList(list, row: $0) }
    }

    /// Locks the account, so that two concurrent creations are both counted.
    /// - Throws: `StoreError.tooManyLists` when the account has reached the quota.
    fileprivate func checkListQuota(for owner: AccountID, quota: Int?) async throws {
        guard let quota else { return }
        let answers = try await pipeline([
            .execute(AccountSQL.lock, [owner]), .execute(MemberSQL.countOwned, [owner]),
        ])
        guard try answers[1].first?.decode(Int64.self, at: 0) ?? 0 < Int64(quota) else { throw StoreError.tooManyLists }
    }

    /// Why an account is not on a list.
    func membershipError(
        of account: AccountID, from list: ListID, otherwise unknown: StoreError = .notOnList
    ) async throws -> StoreError {
        let departure = try await execute(MemberSQL.departure, [list, account])
        return try departure.first.map { .gone(try $0.decode(ListGoneReason.self, at: 0)) } ?? unknown
    }
}

extension ListResponse {
    init(row: Row) throws(PostgresError) {
        let (id, role, permission, head, createdAt, read) = try row.decode(
            (ListID, Role, Permission, SequenceNumber, Timestamp, SequenceNumber?).self)
        self.init(
            id: id, role: role, permission: permission, head: head, createdAt: createdAt, readThrough: read,
            place: ListPlace(
                pinned: try row.decode(at: 7), archived: try row.decode(at: 8), rank: try row.decode(at: 9)),
            ownedSince: try row.decode(Timestamp?.self, at: 6))
    }
}
