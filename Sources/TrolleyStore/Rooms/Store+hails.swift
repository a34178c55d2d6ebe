package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// A hail to be sent.
package struct OutgoingHail: Sendable {
    package let id: HailID
    package let to: DeviceID
    /// For the addressee's key.
    package let sealed: [UInt8]

    package init(id: HailID, to: DeviceID, sealed: [UInt8]) {
        self.id = id
        self.to = to
        self.sealed = sealed
    }
}

/// The outcome of sending hails.
package enum HailOutcome: Sendable {
    case sent(HailsResponse)
    /// The room has another handshake key: the sender doesn't know its secret.
    case otherRoom
}

extension Store {
    /// The number of rooms that made way and are remembered, for each one that a list may have.
    private static let pastRoomsPerRoom = 8

    /// Makes a room unless it exists, in the place of an old one if the list has too many, and leaves a hail for each device
    /// that has the list open.
    /// - Throws: `.notOnList`, `.gone`.
    package func hail(
        _ hails: [OutgoingHail], to room: RoomID, handshakeKey: [UInt8], on list: ListID, from session: Session,
        limits: RoomLimits
    ) async throws(StoreError) -> HailOutcome {
        try await transaction { connection in
            // Reads the membership after taking the lock, because the wait for it may be for a removal.
            let answers = try await connection.pipeline([
                .execute(RoomSQL.lockList, [list, session.account]), .execute(MemberSQL.of, [list, session.account]),
            ])
            guard !answers[0].isEmpty, !answers[1].isEmpty else {
                throw try await connection.membershipError(of: session.account, from: list)
            }
            try await connection.execute(
                RoomSQL.makeWay, [list, room, Int64(max(limits.roomsPerList - 1, 0)), session.account])
            try await connection.execute(
                RoomSQL.deleteOldest, [list, room, Int64(Self.pastRoomsPerRoom * limits.roomsPerList)])
            try await connection.execute(
                RoomSQL.insert, [list, session.account, room, handshakeKey, limits.roomLifetime])
            let rows = try await connection.execute(RoomSQL.admission, [list, room, session.account])
            guard let known = rows.first else { return .otherRoom }
            let (key, expiresAt) = try (known.decode([UInt8].self, at: 0), known.decode(Timestamp.self, at: 1))
            guard key == handshakeKey else { return .otherRoom }
            let hailed = try await connection.execute(
                HailSQL.insert,
                [
                    list, room, session.account, session.device, limits.hailLifetime, hails.map(\.id),
                    hails.map(\.to), hails.map(\.sealed),
                ])
            try await connection.execute(
                HailSQL.deleteOldest, [list, session.account, Int64(max(limits.hailsPerList, 0))])
            return .sent(
                HailsResponse(
                    room: room, expiresAt: expiresAt,
                    hailed: try hailed.map { try $0.decode(DeviceID.self, at: 0) }.sorted()))
        }
    }

    /// The hails to a device, oldest first.
    /// - Throws: `.notOnList`, `.gone`.
    package func hails(to session: Session, on list: ListID) async throws(StoreError) -> [Hail] {
        try await snapshot { connection in
            try await connection.requireMembership(of: session.account, on: list)
            return try await connection.execute(HailSQL.toDevice, [list, session.device, session.account])
                .map(Hail.init(row:))
        }
    }

    /// Deletes a hail to a device.
    /// - Parameter hail: nil: one that can't exist.
    /// - Returns: false when there is no such hail to this device.
    /// - Throws: `.notOnList`, `.gone`.
    package func deleteHail(
        _ hail: HailID?, to session: Session, on list: ListID
    ) async throws(StoreError) -> Bool {
        try await transaction { connection in
            try await connection.requireMembership(of: session.account, on: list)
            guard let hail else { return false }
            return try await !connection.execute(HailSQL.delete, [list, session.device, hail]).isEmpty
        }
    }
}

extension Hail {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, room, account, device, sealed, createdAt) = try row.decode(
            (HailID, RoomID, AccountID, DeviceID, [UInt8], Timestamp).self)
        self.init(
            id: id, room: room, author: account, device: device, sealed: Base64URL.encode(sealed),
            createdAt: createdAt, expiresAt: try row.decode(Timestamp.self, at: 6))
    }
}
