public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

// Devices that the service drives: making them, finding them, and taking turns at driving.

extension Store {
    /// Makes a device for the service to drive. Its lists come with its first sync.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the bearer token that opens this device and nothing else.
    ///   - unusable: SHA-256 of a token that nobody knows, for the device's own row: as a device like any other it can be
    ///     seen and signed out.
    ///   - limit: how many an account may have.
    /// - Throws: `.tooManyHostedDevices`.
    public func createHostedDevice(
        account: AccountID, name: String, tokenHash: [UInt8], unusable: [UInt8], defaultList: ListID?, limit: Int
    ) async throws(StoreError) -> DeviceID {
        let id = DeviceID.version7(at: .now, random: RandomBits.random)
        try await transaction { connection in
            // Two requests at once must not both be the last that fits.
            try await connection.execute(HostedDeviceSQL.lockAccount, [account])
            guard try await connection.execute(HostedDeviceSQL.ofAccount, [account]).count < limit else {
                throw StoreError.tooManyHostedDevices
            }
            try await connection.execute(DeviceSQL.insert, [id, account, name, unusable, nil as String?])
            try await connection.execute(HostedDeviceSQL.insert, [id, tokenHash, defaultList])
        }
        return id
    }

    /// The account's hosted devices, oldest first.
    public func hostedDevices(of account: AccountID) async throws(StoreError) -> [HostedDeviceResponse] {
        try await all(HostedDeviceSQL.ofAccount, [account]) { row throws(PostgresError) in
            let (id, name, list, createdAt, lastSeenAt) = try row.decode(
                (DeviceID, String, ListID?, Timestamp, Timestamp).self)
            return HostedDeviceResponse(
                id: id, name: name, list: list, createdAt: createdAt, lastSeenAt: lastSeenAt)
        }
    }

    /// Ends a hosted device: its token opens nothing any more, and its queues are gone.
    /// - Throws: `.unknownDevice` when it is no hosted device of the account's.
    public func deleteHostedDevice(_ device: DeviceID, of account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            guard try await !connection.execute(HostedDeviceSQL.of, [device, account]).isEmpty else {
                throw StoreError.unknownDevice
            }
            try await connection.execute(DeviceSQL.signOut, [device, account])
            try await connection.execute(HostedDeviceSQL.delete, [device])
        }
    }

    /// The hosted device that a token opens; nil when there is none. Notes, once a minute, that it was used.
    public func hostedSession(tokenHash: [UInt8]) async throws(StoreError) -> Session? {
        let found = try await first(HostedDeviceSQL.byTokenHash, [tokenHash, sessionIdle]) {
            row throws(PostgresError) in
            try row.decode((AccountID, DeviceID, Bool).self)
        }
        guard let (account, device, isStale) = found else { return nil }
        if isStale { try await typed { try await pool.withConnection { try await $0.touch([device]) } } }
        return Session(account: account, device: device)
    }

    /// A hosted device of the account's; nil when it has no such one.
    public func hostedSession(_ device: DeviceID, of account: AccountID) async throws(StoreError) -> Session? {
        try await first(HostedDeviceSQL.of, [device, account], Session.init(row:))
    }

    // MARK: Driving

    /// Hosted devices that have something to do and that nobody drives, at most `limit`.
    public func hostedDevicesWithWork(limit: Int) async throws(StoreError) -> [Session] {
        guard try await topology.isDistributed() else {
            return try await all(HostedDeviceSQL.withWork, [limit], Session.init(row:))
        }
        var found: [Session] = []
        var last = DeviceID(UUIDBits(high: 0, low: 0))
        while found.count < limit {
            let candidates = try await all(
                HostedDeviceSQL.candidates, [last, Self.hostedCandidates], HostedCandidate.init(row:))
            if candidates.isEmpty { break }
            let heads = try await heads(of: Array(Set(candidates.map(\.session.account))))
            found += candidates.filter { $0.hasWork(on: heads[$0.session.account] ?? [:]) }.map(\.session)
            guard candidates.count == Self.hostedCandidates, let end = candidates.last else { break }
            last = end.session.device
        }
        return Array(found.prefix(limit))
    }

    /// Devices that are looked at together.
    private static let hostedCandidates = 500

    /// How long the right to drive a device lasts unless it is renewed, in milliseconds: so long the device waits for a
    /// process that has died.
    public static let hostedLease: Int64 = 5000

    /// Takes the right to drive a device: one process at a time has it. It ends by itself after ``hostedLease``.
    /// - Returns: whether it was free.
    public func claimHostedDevice(_ device: DeviceID, driver: UUIDBits) async throws(StoreError) -> Bool {
        try await !execute(
            HostedDeviceSQL.claim, [device, PostgresUUID(high: driver.high, low: driver.low), Self.hostedLease]
        ).isEmpty
    }

    /// Renews the right to drive these devices, where it has not ended.
    public func renewHostedDevices(_ devices: [DeviceID], driver: UUIDBits) async throws(StoreError) {
        try await execute(
            HostedDeviceSQL.renew, [devices, PostgresUUID(high: driver.high, low: driver.low), Self.hostedLease])
    }

    /// Gives the right back.
    /// - Parameters:
    ///   - heads: up to where each list was fetched; empty when the run has failed.
    ///   - rest: milliseconds for which nobody need look after the device; nil: none.
    public func releaseHostedDevice(
        _ device: DeviceID, driver: UUIDBits, seen heads: [ListID: SequenceNumber], rest: Int?
    ) async throws(StoreError) {
        try await typed {
            try await pool.withConnection { connection in
                // The device's lock before its lists', as everywhere.
                _ = try await connection.pipeline([
                    .execute(
                        HostedDeviceSQL.release,
                        [device, PostgresUUID(high: driver.high, low: driver.low), rest]),
                    .execute(HostedDeviceSQL.noteHeads, [device, Array(heads.keys), Array(heads.values)]),
                ])
            }
        }
    }
}

extension Session {
    init(row: Row) throws(PostgresError) {
        let (account, device) = try row.decode((AccountID, DeviceID).self)
        self.init(account: account, device: device)
    }
}
