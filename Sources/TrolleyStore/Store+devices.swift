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
        let (asked, endings) = (ContinuousClock.now, sessions.endings)
        if let session = sessions.session(tokenHash: tokenHash, now: asked) { return session }
        guard let session = try await sessionLookups.ask(tokenHash) else { return nil }
        sessions.keep(session, tokenHash: tokenHash, endings: endings, asked: asked)
        return session
    }

    /// Who holds each of these tokens.
    static func sessions(
        tokenHashes: Set<[UInt8]>, _ pool: Pool
    ) async throws(StoreError) -> [[UInt8]: Session] {
        do {
            return try await pool.withConnection { connection in
                var sessions: [[UInt8]: Session] = [:]
                var stale: [DeviceID] = []
                for row in try await connection.execute(DeviceSQL.byTokenHashes, [Array(tokenHashes)]) {
                    let (hash, account, device, isStale) = try row.decode(([UInt8], AccountID, DeviceID, Bool).self)
                    sessions[hash] = Session(account: account, device: device)
                    if isStale { stale.append(device) }
                }
                if !stale.isEmpty { try await connection.execute(DeviceSQL.touch, [stale]) }
                return sessions
            }
        } catch { throw StoreError(any: error) }
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
        guard try await !execute(DeviceSQL.signOut, [device, account]).isEmpty else { throw .unknownDevice }
        // One that the service drives goes with its queues: nobody fetches for it any more, or takes its lists off it.
        try await execute(HostedDeviceSQL.delete, [device])
        sessions.clear()
        try await execute(PresenceSQL.leaveAll, [device])
    }
}

extension DeviceResponse {
    fileprivate init(row: Row, current: DeviceID) throws(PostgresError) {
        let (id, name, createdAt, lastSeenAt) = try row.decode((DeviceID, String, Timestamp, Timestamp).self)
        self.init(id: id, name: name, createdAt: createdAt, lastSeenAt: lastSeenAt, current: id == current)
    }
}
