package import TrolleyJournal
import TrolleyPostgres

/// What verifies a handshake for a room.
package struct RoomAdmission: Sendable {
    package let handshakeKey: [UInt8]
    package let expiresAt: Timestamp
    /// Milliseconds until the room ends.
    package let remaining: Int64
    /// The database's clock, which all processes share.
    package let now: Timestamp
}

/// A person's place on a list.
package struct Membership: Hashable, Sendable {
    package let list: ListID
    package let account: AccountID

    package init(list: ListID, account: AccountID) {
        self.list = list
        self.account = account
    }
}

extension Store {
    /// What verifies a handshake. nil when there is no such room, or the account is not on its list.
    package func admission(
        to room: RoomID, on list: ListID, for account: AccountID
    ) async throws(StoreError) -> RoomAdmission? {
        try await first(RoomSQL.admission, [list, room, account]) { row throws(PostgresError) in
            let (key, expiresAt, remaining, now) = try row.decode(([UInt8], Timestamp, Int64, Timestamp).self)
            return RoomAdmission(handshakeKey: key, expiresAt: expiresAt, remaining: remaining, now: now)
        }
    }

    /// Uses up a nonce of a room, for all processes.
    /// - Parameter memory: milliseconds for which the nonce is remembered.
    /// - Returns: false when it was used before, or the room is gone.
    package func useNonce(
        _ nonce: [UInt8], of room: RoomID, on list: ListID, rememberedFor memory: Int64
    ) async throws(StoreError) -> Bool {
        try await !execute(RoomSQL.useNonce, [list, room, nonce, memory]).isEmpty
    }

    /// The given memberships that still exist.
    package func existing(_ memberships: Set<Membership>) async throws(StoreError) -> Set<Membership> {
        let lists = Array(Set(memberships.map(\.list)))
        let accounts = Array(Set(memberships.map(\.account)))
        let people = try await all(RoomSQL.people, [lists, accounts]) { row throws(PostgresError) in
            let (list, account) = try row.decode((ListID, AccountID).self)
            return Membership(list: list, account: account)
        }
        return memberships.intersection(people)
    }

    /// Sends signals about rooms to the other processes. Each is at most ``RoomSignals/maximumBytes`` long, and differs
    /// from all others.
    package func sendRoomSignals(_ payloads: [String]) async throws(StoreError) {
        try await execute(RoomSQL.notify, [payloads])
    }
}
