package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Signs a device in.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the device's bearer token.
    ///   - passwordHash: the stored hash that the password was compared with; nil when the person signed in without a
    ///     password.
    ///   - quota: the number of devices on which the account may be signed in, without hosted ones; nil: unlimited.
    ///     When it is reached, sessions that were not used for ``DeviceQuota/unused`` end, as many as necessary.
    /// - Throws: `.tooManyDevices`; `.passwordChanged`, when the password was changed meanwhile or the account was
    ///   deleted.
    package func createDevice(
        account: AccountID, name: String, tokenHash: [UInt8], passwordHash: String? = nil, quota: Int? = nil
    ) async throws(StoreError) -> DeviceResponse {
        func insert(_ connection: Connection) async throws -> DeviceResponse {
            try await connection.insertDevice(
                named: name, of: account, tokenHash: tokenHash, passwordHash: passwordHash)
        }
        guard let quota else { return try await typed { try await pool.withConnection { try await insert($0) } } }
        return try await transaction { connection in
            try await connection.enforceDeviceQuota(of: account, quota: quota)
            return try await insert(connection)
        }
    }

    /// The session of a token; nil when there is none. Records, at most once a minute, that the device was here.
    ///
    /// A token that another process revoked may still be accepted for half a second; see ``SessionCache``.
    /// - Throws: `.signedOut`, when the device was signed out and its account exists.
    package func session(tokenHash: [UInt8]) async throws(StoreError) -> Session? {
        if let session = sessions.session(tokenHash: tokenHash, now: .now) { return session }
        switch try await sessionLookups.ask(tokenHash) {
        case .session(let session): return session
        case .signedOut: throw .signedOut
        case nil: return nil
        }
    }

    /// The meanings of several tokens.
    static func sessions(
        tokenHashes: Set<[UInt8]>, _ pool: Pool, _ cache: SessionCache, idle: Int64?
    ) async throws(StoreError) -> [[UInt8]: KnownToken] {
        do {
            return try await pool.withConnection(for: .shortRead, statementTimeout: LookupLimits.timeout) {
                connection in
                let asked = ContinuousClock.now
                // The second statement sees at least what the first one counts.
                let answers = try await connection.pipeline([
                    .execute(DeviceSQL.byTokenHashes, [Array(tokenHashes), idle]),
                    .execute(DeviceSQL.endedSince, [cache.ended, Int64(SessionCache.mostEnded)]),
                ])
                let rows = answers[0]
                var sessions: [[UInt8]: Session] = [:]
                var known: [[UInt8]: KnownToken] = [:]
                var stale: [DeviceID] = []
                var remaining: [[UInt8]: Duration] = [:]
                for row in rows {
                    guard let hash = try row.decode([UInt8]?.self, at: 2) else { continue }
                    guard let device = try row.decode(DeviceID?.self, at: 4) else {
                        known[hash] = .signedOut
                        continue
                    }
                    let scope = try row.decode(Bool?.self, at: 6).map { isReadOnly throws(PostgresError) in
                        TokenScope(isReadOnly: isReadOnly, lists: try row.decode([ListID]?.self, at: 7).map(Set.init))
                    }
                    let session = Session(account: try row.decode(at: 3), device: device, scope: scope)
                    remaining[hash] = try row.decode(Int64?.self, at: 8).map { .milliseconds($0) }
                    sessions[hash] = session
                    known[hash] = .session(session)
                    if try row.decode(Bool.self, at: 5) { stale.append(device) }
                }
                if let row = rows.first {
                    cache.note(
                        try SessionCache.Generation(row: row), sessions,
                        ended: try answers[1].map { row in
                            let (number, device) = try row.decode((Int64, DeviceID).self)
                            return SessionCache.Ended(number: number, device: device)
                        }, remaining: remaining, asked: asked)
                }
                if !stale.isEmpty { try await connection.touch(stale) }
                return known
            }
        } catch { throw StoreError(any: error) }
    }

    /// Runs `body` in a transaction that ends the sessions of the devices that it returns. When the method returns, this
    /// process refuses their tokens; other processes refuse them within a second.
    @discardableResult
    func endingSessions(_ body: (Connection) async throws -> [DeviceID]) async throws(StoreError) -> [DeviceID] {
        let (devices, generation) = try await transaction { connection in
            let devices = try await body(connection)
            return (devices, try await connection.noteEnded(devices))
        }
        // Discards answers to queries that were sent before this moment.
        if let generation { sessions.note(generation, ended: generation.ends(devices), asked: .now) }
        return devices
    }

    /// The devices on which the account is signed in, oldest first.
    package func devices(seenBy session: Session) async throws(StoreError) -> [DeviceResponse] {
        try await all(DeviceSQL.ofAccount, [session.account]) { row throws(PostgresError) in
            try DeviceResponse(row: row, current: session.device)
        }
    }

    /// Whether a device is signed in, according to the database rather than to this process's cache.
    package func isSignedIn(_ device: DeviceID) async throws(StoreError) -> Bool {
        try await signedIn([device]).contains(device)
    }

    /// Milliseconds since a session's sign-in.
    /// - Throws: `.unknownDevice`.
    package func age(of session: Session) async throws(StoreError) -> Int64 {
        let found = try await first(DeviceSQL.age, [session.device, session.account]) { row throws(PostgresError) in
            try row.decode(Int64.self, at: 0)
        }
        guard let found else { throw .unknownDevice }
        return found
    }

    /// Ends a device's session. The device's entries keep its id.
    /// - Throws: `.unknownDevice` when the account never had it.
    package func signOut(device: DeviceID, account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            guard try await !connection.execute(DeviceSQL.signOut, [device, account]).isEmpty else {
                throw StoreError.unknownDevice
            }
            // A hosted device is deleted with its queues, because nothing can use it any more.
            try await connection.execute(HostedDeviceSQL.delete, [device])
            try await connection.execute(PresenceSQL.leaveAll, [device])
            try await connection.execute(PushSQL.endSubscription, [device])
            return [device]
        }
    }

    /// Ends sessions that were idle for ``sessionIdle``, among the next `limit` devices after one (nil: the first ones), by id.
    /// Their tokens are refused already, so no process has to be told.
    /// - Returns: the devices whose sessions ended, and the device after which to go on; nil: there are no more.
    package func endIdleSessions(
        after place: DeviceID? = nil, limit: Int = 1000
    ) async throws(StoreError) -> (ended: [DeviceID], next: DeviceID?) {
        guard let sessionIdle else { return ([], nil) }
        let place = place ?? DeviceID(UUIDBits(high: 0, low: 0))
        return try await transaction { connection in
            let next = try await connection.execute(DeviceSQL.endOfPage, [place, Int64(limit)]).first.map { row in
                try row.decode(DeviceID.self, at: 0)
            }
            let ended = try await connection.execute(DeviceSQL.signOutIdle, [sessionIdle, place, next])
            return (try await connection.forget(ended), next)
        }
    }
}

extension Connection {
    /// Signs a device in. The parameters are those of ``Store/createDevice(account:name:tokenHash:passwordHash:quota:)``.
    func insertDevice(
        named name: String, of account: AccountID, tokenHash: [UInt8], passwordHash: String? = nil
    ) async throws -> DeviceResponse {
        let id = DeviceID.version7(at: .now, random: RandomBits.random)
        let rows = try await execute(DeviceSQL.insert, [id, account, name, tokenHash, passwordHash])
        guard let row = rows.first else { throw StoreError.passwordChanged }
        return try DeviceResponse(row: row, current: id)
    }

    /// Records that devices were here. When the database can't write (a full disk, a standby, an unreachable node), the
    /// sessions are valid all the same.
    func touch(_ devices: [DeviceID]) async throws(PostgresError) {
        do {
            try await execute(DeviceSQL.touch, [devices])
        } catch {
            guard let state = error.sqlState, ["08", "25", "53", "58"].contains(state.errorClass) else { throw error }
        }
    }

    /// The last step of a transaction that ended the sessions of these devices.
    /// - Returns: nil when there are none.
    fileprivate func noteEnded(_ devices: [DeviceID]) async throws -> SessionCache.Generation? {
        if devices.isEmpty { return nil }
        let counted = try await execute(DeviceSQL.countEnded, [Int64(devices.count)])
        guard let generation = try counted.first.map({ row in try SessionCache.Generation(row: row) }) else {
            return nil
        }
        try await execute(DeviceSQL.noteEnded, [devices, generation.ended])
        return generation
    }

    /// Deletes the presence, the subscriptions and the hosted queues that belonged to sessions that have just ended.
    func forget(_ ended: Rows) async throws -> [DeviceID] {
        let devices = try ended.map { try $0.decode(DeviceID.self, at: 0) }
        guard !devices.isEmpty else { return [] }
        for device in devices {
            try await execute(HostedDeviceSQL.delete, [device])
            try await execute(PresenceSQL.leaveAll, [device])
        }
        try await execute(PushSQL.endSubscriptions, [devices])
        return devices
    }

    /// Ends sessions that were not used for long, if there must be room for another one. No process trusts such a session.
    fileprivate func enforceDeviceQuota(of account: AccountID, quota: Int) async throws {
        // Two devices that sign in at the same time must not both take the last place.
        let answers = try await pipeline([
            .execute(HostedDeviceSQL.lockAccount, [account]), .execute(DeviceSQL.count, [account]),
        ])
        let surplus = try (answers[1].first?.decode(Int64.self, at: 0) ?? 0) - Int64(quota) + 1
        guard surplus > 0 else { return }
        let ended = try await execute(DeviceSQL.endUnused, [account, DeviceQuota.unused, surplus])
        guard ended.count >= surplus else { throw StoreError.tooManyDevices }
        let devices = try ended.map { try $0.decode(DeviceID.self, at: 0) }
        for device in devices { try await execute(PresenceSQL.leaveAll, [device]) }
        try await execute(PushSQL.endSubscriptions, [devices])
    }
}

/// When a device may be signed out to make room for another device of the same account.
package enum DeviceQuota {
    /// Milliseconds without a request.
    package static let unused = Age(days: 30).milliseconds
}

extension DeviceResponse {
    fileprivate init(row: Row, current: DeviceID) throws(PostgresError) {
        let (id, name, createdAt, lastSeenAt) = try row.decode((DeviceID, String, Timestamp, Timestamp).self)
        self.init(id: id, name: name, createdAt: createdAt, lastSeenAt: lastSeenAt, current: id == current)
    }
}
