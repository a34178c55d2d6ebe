package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

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
        to room: RoomAddress, for account: AccountID
    ) async throws(StoreError) -> RoomAdmission? {
        try await first(RoomSQL.admission, [room.list, room.id, account]) { row throws(PostgresError) in
            let (key, expiresAt, remaining, now) = try row.decode(([UInt8], Timestamp, Int64, Timestamp).self)
            return RoomAdmission(handshakeKey: key, expiresAt: expiresAt, remaining: remaining, now: now)
        }
    }

    /// Uses up a nonce of a room, for all processes.
    /// - Parameter memory: milliseconds for which the nonce is remembered.
    /// - Returns: false when it was used before, or the room is gone.
    package func useNonce(
        _ nonce: [UInt8], of room: RoomAddress, rememberedFor memory: Int64
    ) async throws(StoreError) -> Bool {
        try await !execute(RoomSQL.useNonce, [room.list, room.id, nonce, memory]).isEmpty
    }

    /// The handshake keys of the given rooms. A room is over when its key is missing, or differs from the one that opened it.
    package func handshakeKeys(of rooms: [RoomAddress]) async throws(StoreError) -> [RoomAddress: [UInt8]] {
        let lists = Array(Set(rooms.map(\.list)))
        let found = try await all(RoomSQL.keys, [lists, rooms.map(\.id)]) { row throws(PostgresError) in
            let (list, id, key) = try row.decode((ListID, RoomID, [UInt8]).self)
            return (RoomAddress(id, on: list), key)
        }
        return Dictionary(found) { first, _ in first }
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

extension Connection {
    /// Ends the rooms of a list whose lock is held, because a person has left it who knows their secrets. Those who stay make
    /// a new one.
    func endRooms(of list: ListID) async throws {
        var generator = SystemRandomNumberGenerator()
        let unknown = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try await execute(RoomSQL.end, [list, unknown])
        try await execute(HailSQL.deleteOfList, [list])
    }
}
