public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

extension Role: TextColumn {}
extension Permission: TextColumn {}
extension ListGoneReason: TextColumn {}

extension Store {
    /// Makes a list with its owner on it. The same call again answers the same list.
    /// - Throws: `.listIDTaken` when the id is somebody else's list's, `.gone` when it was a list of one's own.
    public func createList(
        _ id: ListID, owner: AccountID
    ) async throws(StoreError) -> (list: ListResponse, isNew: Bool) {
        try await transaction { connection in
            let isNew = try await !connection.execute(ListSQL.insert, [id, owner]).isEmpty
            if isNew {
                try await connection.execute(
                    MemberSQL.insert, [id, owner, Role.owner.rawValue, Permission.readWrite.rawValue])
            }
            let found = try await connection.execute(ListSQL.forAccount, [owner, id])
            guard let list = try found.first.map(ListResponse.init(row:)) else {
                throw try await connection.absence(of: owner, from: id, otherwise: .listIDTaken)
            }
            guard list.role == .owner else { throw StoreError.listIDTaken }
            return (list, isNew)
        }
    }

    /// Whether there is or was such a list, whoever is on it.
    public func exists(_ list: ListID) async throws(StoreError) -> Bool {
        try await one(ListSQL.exists, [list]) { row throws(PostgresError) in try row.decode(Bool.self, at: 0) }
    }

    /// The lists that the account is on, oldest first.
    public func lists(of account: AccountID) async throws(StoreError) -> [ListResponse] {
        try await all(ListSQL.ofAccount, [account], ListResponse.init(row:))
    }

    /// The owner deletes the list, for everybody; a participant leaves it. Doing it again changes nothing.
    /// - Throws: `.notOnList`.
    public func deleteList(_ list: ListID, by account: AccountID) async throws(StoreError) {
        try await transaction { connection in
            let locked: LockedList
            do { locked = try await connection.lock(list, for: account) } catch StoreError.gone { return }
            guard locked.role == .owner else {
                try await connection.remove(account, from: locked, byOwner: false)
                return
            }
            try await connection.execute(ListSQL.markDeleted, [list])
            try await connection.execute(MemberSQL.removeAll, [list, ListGoneReason.deleted.rawValue])
            try await connection.execute(InvitationSQL.deleteOfList, [list])
            try await connection.execute(ListSQL.deleteEntries, [list])
            try await connection.execute(ListSQL.deleteArchive, [list])
            try await connection.execute(ArchiveSQL.deleteIDs, [list])
            try await connection.execute(ListSQL.deleteEvents, [list])
        }
    }
}

/// A list whose lock a transaction holds, as one of its people.
struct LockedList {
    let id: ListID
    let head: SequenceNumber
    let epoch: UUIDBits
    /// When the lock was had, by the database's clock.
    let now: Timestamp
    let role: Role
    let permission: Permission
}

extension Connection {
    /// Takes the list's lock for the rest of the transaction.
    /// - Throws: `StoreError.notOnList` or `.gone`.
    func lock(_ list: ListID, for account: AccountID) async throws -> LockedList {
        // Membership is read after the lock was had, because who removes somebody holds it too.
        let answers = try await pipeline([
            .execute(ListSQL.lock, [list, account]), .execute(MemberSQL.of, [list, account]),
        ])
        guard let locked = try LockedList(list, lock: answers[0], member: answers[1]) else {
            throw try await absence(of: account, from: list)
        }
        return locked
    }

    /// Why an account is not on a list.
    func absence(
        of account: AccountID, from list: ListID, otherwise unknown: StoreError = .notOnList
    ) async throws -> StoreError {
        let departure = try await execute(MemberSQL.departure, [list, account])
        return try departure.first.map { .gone(try $0.decode(ListGoneReason.self, at: 0)) } ?? unknown
    }
}

extension LockedList {
    /// nil when either answer is empty: the account is not on the list.
    init?(_ list: ListID, lock: Rows, member: Rows) throws(PostgresError) {
        guard let lock = lock.first, let member = member.first else { return nil }
        let (role, permission) = try member.decode((Role, Permission).self)
        try self.init(list, row: lock, role: role, permission: permission)
    }

    /// - Parameter row: of `ListSQL.lock` or `lockUnasked`.
    init(_ list: ListID, row: Row, role: Role, permission: Permission) throws(PostgresError) {
        let (head, epoch, now) = try row.decode((SequenceNumber, PostgresUUID, Timestamp).self)
        self.init(
            id: list, head: head, epoch: UUIDBits(high: epoch.high, low: epoch.low), now: now, role: role,
            permission: permission)
    }
}

extension ListResponse {
    init(row: Row) throws(PostgresError) {
        let (id, role, permission, head, createdAt) = try row.decode(
            (ListID, Role, Permission, SequenceNumber, Timestamp).self)
        self.init(id: id, role: role, permission: permission, head: head, createdAt: createdAt)
    }
}
