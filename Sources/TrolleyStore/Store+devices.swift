public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

extension Store {
    /// - Parameter tokenHash: SHA-256 of the device's bearer token.
    public func createDevice(
        account: AccountID, name: String, tokenHash: [UInt8]
    ) async throws(StoreError) -> DeviceResponse {
        let id = DeviceID.version7(at: .now, random: RandomBits.random)
        return try await one(DeviceSQL.insert, [id, account, name, tokenHash]) { row throws(PostgresError) in
            try DeviceResponse(row: row, current: id)
        }
    }

    /// Who holds the token; nil when nobody does any more. Notes, once a minute, that the device was here.
    ///
    /// A token that another process revoked may be taken for half a second more, see ``SessionCache``.
    public func session(tokenHash: [UInt8]) async throws(StoreError) -> Session? {
        if let session = sessions.session(tokenHash: tokenHash, now: .now) { return session }
        return try await sessionLookups.ask(tokenHash)
    }

    /// Who holds each of these tokens.
    static func sessions(
        tokenHashes: Set<[UInt8]>, _ pool: Pool, _ cache: SessionCache
    ) async throws(StoreError) -> [[UInt8]: Session] {
        do {
            return try await pool.withConnection { connection in
                let asked = ContinuousClock.now
                let rows = try await connection.execute(DeviceSQL.byTokenHashes, [Array(tokenHashes)])
                var sessions: [[UInt8]: Session] = [:]
                var stale: [DeviceID] = []
                for row in rows {
                    guard let hash = try row.decode([UInt8]?.self, at: 2) else { continue }
                    let device = try row.decode(DeviceID.self, at: 4)
                    sessions[hash] = Session(account: try row.decode(at: 3), device: device)
                    if try row.decode(Bool.self, at: 5) { stale.append(device) }
                }
                if let row = rows.first { cache.note(try SessionCache.Generation(row: row), sessions, asked: asked) }
                if !stale.isEmpty { try await connection.execute(DeviceSQL.touch, [stale]) }
                return sessions
            }
        } catch { throw StoreError(any: error) }
    }

    /// Runs `body` in a transaction that ends sessions. Their tokens are refused by this process when it returns, and
    /// within a second by others.
    func endingSessions(_ body: (Connection) async throws -> Void) async throws(StoreError) {
        let generation = try await transaction { connection in
            try await body(connection)
            return try await connection.execute(DeviceSQL.noteEnd).first.map { row in
                try SessionCache.Generation(row: row)
            }
        }
        // Answers that were asked for until now may be of the time before.
        if let generation { sessions.note(generation, asked: .now) }
    }

    /// The account's devices that are signed in, oldest first.
    public func devices(seenBy session: Session) async throws(StoreError) -> [DeviceResponse] {
        try await all(DeviceSQL.ofAccount, [session.account]) { row throws(PostgresError) in
            try DeviceResponse(row: row, current: session.device)
        }
    }

    /// Ends a device's session. Its entries keep naming it.
    /// - Throws: `.unknownDevice` when the account never had it.
    public func signOut(device: DeviceID, account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            guard try await !connection.execute(DeviceSQL.signOut, [device, account]).isEmpty else {
                throw StoreError.unknownDevice
            }
            // One that the service drives goes with its queues: nobody fetches for it any more, or takes its lists off it.
            try await connection.execute(HostedDeviceSQL.delete, [device])
            try await connection.execute(PresenceSQL.leaveAll, [device])
        }
    }
}

extension DeviceResponse {
    fileprivate init(row: Row, current: DeviceID) throws(PostgresError) {
        let (id, name, createdAt, lastSeenAt) = try row.decode((DeviceID, String, Timestamp, Timestamp).self)
        self.init(id: id, name: name, createdAt: createdAt, lastSeenAt: lastSeenAt, current: id == current)
    }
}
