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
    public func session(tokenHash: [UInt8]) async throws(StoreError) -> Session? {
        let found = try await first(DeviceSQL.byTokenHash, [tokenHash]) { row throws(PostgresError) in
            try row.decode((AccountID, DeviceID, Bool).self)
        }
        guard let (account, device, isStale) = found else { return nil }
        if isStale { try await execute(DeviceSQL.touch, [device]) }
        return Session(account: account, device: device)
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
        try await execute(PresenceSQL.leaveAll, [device])
    }
}

extension DeviceResponse {
    fileprivate init(row: Row, current: DeviceID) throws(PostgresError) {
        let (id, name, createdAt, lastSeenAt) = try row.decode((DeviceID, String, Timestamp, Timestamp).self)
        self.init(id: id, name: name, createdAt: createdAt, lastSeenAt: lastSeenAt, current: id == current)
    }
}
