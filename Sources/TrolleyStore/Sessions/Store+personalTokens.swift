package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Makes a personal token, which is a device of the account.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the token.
    ///   - unusable: SHA-256 of a token that nobody knows, for the device's own row.
    /// - Throws: `.tooManyPersonalTokens`; `.passwordChanged` when the account was deleted meanwhile.
    package func createPersonalToken(
        account: AccountID, name: String, tokenHash: [UInt8], unusable: [UInt8], scope: TokenScope,
        expiresAt: Timestamp?
    ) async throws(StoreError) -> PersonalTokenResponse {
        try await transaction { connection in
            // Two concurrent requests must not both take the last place.
            try await connection.execute(HostedDeviceSQL.lockAccount, [account])
            guard
                try await connection.execute(PersonalTokenSQL.ofAccount, [account]).count < TokenScope.tokensPerAccount
            else { throw StoreError.tooManyPersonalTokens }
            let device = try await connection.insertDevice(named: name, of: account, tokenHash: unusable)
            try await connection.execute(
                PersonalTokenSQL.insert,
                [device.id, tokenHash, scope.isReadOnly, scope.lists.map { $0.sorted() }, expiresAt])
            return PersonalTokenResponse(
                id: device.id, name: name, readOnly: scope.isReadOnly, lists: scope.lists?.sorted(),
                createdAt: device.createdAt, expiresAt: expiresAt)
        }
    }

    /// The account's personal tokens, oldest first, without the tokens themselves.
    package func personalTokens(of account: AccountID) async throws(StoreError) -> [PersonalTokenResponse] {
        try await all(PersonalTokenSQL.ofAccount, [account], PersonalTokenResponse.init(row:))
    }

    /// Revokes a personal token. Safe to repeat.
    /// - Throws: `.unknownPersonalToken` when the account never had it.
    package func revokePersonalToken(_ token: DeviceID, of account: AccountID) async throws(StoreError) {
        guard try await !execute(PersonalTokenSQL.of, [token, account]).isEmpty else { throw .unknownPersonalToken }
        try await signOut(device: token, account: account)
    }

    /// Ends the sessions of expired personal tokens. They grant no access already.
    /// - Returns: their devices.
    package func endExpiredTokens(limit: Int = 1000) async throws(StoreError) -> [DeviceID] {
        try await endingSessions { connection in
            try await connection.forget(connection.execute(PersonalTokenSQL.endExpired, [Int64(limit)]))
        }
    }
}

extension Connection {
    /// Adds to entries that a personal token's program made the token's name.
    func nameTokens(of activity: inout [ActivityItem]) async throws {
        let devices = activity.map(\.device)
        let asked = Set(devices.compactMap(\.self))
        guard !asked.isEmpty else { return }
        var names: [DeviceID: String] = [:]
        for row in try await execute(PersonalTokenSQL.names, [Array(asked)]) {
            let (device, name) = try row.decode((DeviceID, String).self)
            names[device] = name
        }
        if names.isEmpty { return }
        for (index, device) in devices.enumerated() { activity[index].deviceName = device.flatMap { names[$0] } }
    }
}

extension ActivityItem {
    /// The device that made an entry.
    fileprivate var device: DeviceID? { if case .entry(let entry) = event { entry.device } else { nil } }
}

extension PersonalTokenResponse {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, name, readOnly, lists, createdAt, lastUsedAt, expiresAt) = try row.decode(
            (DeviceID, String, Bool, [ListID]?, Timestamp, Timestamp?, Timestamp?).self)
        self.init(
            id: id, name: name, readOnly: readOnly, lists: lists, createdAt: createdAt, lastUsedAt: lastUsedAt,
            expiresAt: expiresAt)
    }
}
