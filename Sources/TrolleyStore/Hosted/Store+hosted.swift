package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

// Hosted devices: creating them, finding them, and leasing them to processes.

extension Store {
    /// Creates a hosted device. Its first sync fetches its lists.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the bearer token that gives access to this device only.
    ///   - unusable: SHA-256 of a token that nobody knows, for the device's own row: the device can be listed and
    ///     signed out like any other.
    ///   - limit: the largest number of hosted devices of an account.
    /// - Throws: `.tooManyHostedDevices`.
    package func createHostedDevice(
        account: AccountID, name: String, tokenHash: [UInt8], unusable: [UInt8], defaultList: ListID?, limit: Int
    ) async throws(StoreError) -> DeviceID {
        let id = DeviceID.version7(at: .now, random: RandomBits.random)
        try await transaction { connection in
            // Two concurrent requests must not both take the last place.
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
    package func hostedDevices(of account: AccountID) async throws(StoreError) -> [HostedDeviceResponse] {
        try await all(HostedDeviceSQL.ofAccount, [account]) { row throws(PostgresError) in
            let (id, name, list, createdAt, lastSeenAt) = try row.decode(
                (DeviceID, String, ListID?, Timestamp, Timestamp).self)
            return HostedDeviceResponse(
                id: id, name: name, list: list, createdAt: createdAt, lastSeenAt: lastSeenAt)
        }
    }

    /// Deletes a hosted device with its queues and its token.
    /// - Throws: `.unknownDevice` when the account has no such hosted device.
    package func deleteHostedDevice(_ device: DeviceID, of account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            guard try await !connection.execute(HostedDeviceSQL.of, [device, account]).isEmpty else {
                throw StoreError.unknownDevice
            }
            try await connection.execute(DeviceSQL.signOut, [device, account])
            try await connection.execute(HostedDeviceSQL.delete, [device])
            return [device]
        }
    }

    /// The hosted device of a token; nil when there is none. Records, at most once a minute, that it was used.
    package func hostedSession(tokenHash: [UInt8]) async throws(StoreError) -> Session? {
        let found = try await first(HostedDeviceSQL.byTokenHash, [tokenHash, sessionIdle]) {
            row throws(PostgresError) in
            try row.decode((AccountID, DeviceID, Bool).self)
        }
        guard let (account, device, isStale) = found else { return nil }
        if isStale { try await typed { try await pool.withConnection { try await $0.touch([device]) } } }
        return Session(account: account, device: device)
    }

    /// A hosted device of the account; nil when the account has no such device.
    package func hostedSession(_ device: DeviceID, of account: AccountID) async throws(StoreError) -> Session? {
        try await first(HostedDeviceSQL.of, [device, account], Session.init(row:))
    }

    // MARK: Leases

    /// The accounts that have hosted devices.
    package func hosts() async throws(StoreError) -> Set<AccountID> {
        Set(
            try await all(HostedDeviceSQL.hosts) { row throws(PostgresError) in
                try row.decode(AccountID.self, at: 0)
            })
    }

    /// The accounts with a hosted device that has one of these lists, also those that are no longer on the list.
    package func hosts(of lists: [ListID]) async throws(StoreError) -> Set<AccountID> {
        Set(
            try await all(HostedDeviceSQL.hostsOfLists, [lists]) { row throws(PostgresError) in
                try row.decode(AccountID.self, at: 0)
            })
    }

    /// Hosted devices that have work and no lease, at most `limit`.
    /// - Parameter accounts: only those of these accounts; nil: all.
    package func hostedDevicesWithWork(
        of accounts: Set<AccountID>? = nil, limit: Int
    ) async throws(StoreError) -> [Session] {
        if let nodes = try await self.nodes() {
            return try await nodes.hostedDevicesWithWork(of: accounts, limit: limit)
        }
        if let accounts {
            return try await all(HostedDeviceSQL.withWorkOfAccounts, [limit, Array(accounts)], Session.init(row:))
        }
        return try await all(HostedDeviceSQL.withWork, [limit], Session.init(row:))
    }

    /// How long a lease lasts unless it is renewed, in milliseconds; also how long a device waits after its process has
    /// died.
    package static let hostedLease: Int64 = 5000

    /// Takes a device's lease; one process at a time has it. It ends after ``hostedLease`` unless it is renewed.
    /// - Returns: whether the device had no lease.
    package func claimHostedDevice(_ device: DeviceID, driver: UUIDBits) async throws(StoreError) -> Bool {
        try await !execute(
            HostedDeviceSQL.claim, [device, PostgresUUID(high: driver.high, low: driver.low), Self.hostedLease]
        ).isEmpty
    }

    /// Renews the leases of these devices, unless they have ended.
    package func renewHostedDevices(_ devices: [DeviceID], driver: UUIDBits) async throws(StoreError) {
        try await execute(
            HostedDeviceSQL.renew, [devices, PostgresUUID(high: driver.high, low: driver.low), Self.hostedLease])
    }

    /// Releases a device's lease.
    /// - Parameters:
    ///   - heads: the sequence up to which each list was fetched; empty when the run has failed.
    ///   - rest: milliseconds for which the device has no work; nil: none.
    package func releaseHostedDevice(
        _ device: DeviceID, driver: UUIDBits, seen heads: [ListID: SequenceNumber], rest: Int?
    ) async throws(StoreError) {
        try await typed {
            try await pool.withConnection { connection in
                // Locks the device before its lists, as everywhere.
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
