package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Records that a device has the list open, until the lease ends, or has closed it.
    /// - Parameter lease: milliseconds; nil: the list is closed.
    ///   - hailKey: the device's public key for hails; nil: it doesn't enter rooms.
    /// - Throws: `.notOnList`, `.gone`.
    package func setPresence(
        of session: Session, on list: ListID, for lease: Int64?, hailKey: [UInt8]? = nil
    ) async throws(StoreError) -> PresenceChange {
        let change: PresenceChange = try await transaction { connection in
            let before = try await connection.presence(on: list)
            if let lease {
                let entered = try await connection.execute(
                    PresenceSQL.enter, [list, session.account, session.device, lease, hailKey])
                if entered.isEmpty { throw try await connection.membershipError(of: session.account, from: list) }
            } else {
                try await connection.requireMembership(of: session.account, on: list)
                try await connection.execute(PresenceSQL.leave, [list, session.account, session.device])
            }
            let after = try await connection.presence(on: list)
            var change = PresenceChange(presence: after)
            if hailKey != nil {
                change.devices = try await connection.execute(PresenceSQL.devices, [list])
                    .map(PresentDevice.init(row:))
            }
            if before.map(\.account) == after.map(\.account) { return change }
            let people = try await connection.execute(MemberSQL.ofList, [list])
            change.toNotify = Set(try people.map { try $0.decode(AccountID.self, at: 0) })
            return change
        }
        await hastenSummaries(of: list, within: lease ?? 0)
        return change
    }

    /// Records how far an account has read. The mark never goes back.
    /// - Returns: how far it has read now.
    /// - Throws: `.readMarkOfTheFuture` if the list has no such change yet; `.notOnList`, `.gone`.
    package func markRead(
        _ list: ListID, through sequence: SequenceNumber, by account: AccountID
    ) async throws(StoreError) -> SequenceNumber {
        let marked = try await first(PresenceSQL.read, [list, account, sequence]) { row throws(PostgresError) in
            try row.decode(SequenceNumber.self, at: 0)
        }
        if let marked { return marked }
        if try await execute(ListSQL.forAccount, [account, list]).isEmpty {
            throw try await membershipError(of: account, from: list)
        }
        throw .readMarkOfTheFuture
    }

    /// Deletes expired presence, summaries, codes and deliveries, and subscriptions whose session has ended.
    package func deleteExpired() async throws(StoreError) {
        try await execute(PresenceSQL.deleteExpired)
        try await execute(SummarySQL.deleteExpired)
        try await execute(SignUpSQL.deleteExpiredCodes)
        try await execute(PasswordSQL.deleteExpired)
        try await execute(EmailSQL.deleteExpiredCodes)
        try await execute(RoomSQL.deleteExpired)
        try await execute(RoomSQL.deleteExpiredNonces)
        try await execute(HailSQL.deleteExpired)
        try await execute(DeliverySQL.buryExpired)
        try await execute(DeliverySQL.deleteOld)
        try await execute(PushSQL.endSignedOut)
    }
}

/// The people who have a list open, after one of them has opened or closed it.
package struct PresenceChange: Sendable {
    package var presence: [Presence]
    /// The devices that have the list open and enter rooms; empty for a device that doesn't.
    package var devices: [PresentDevice] = []
    /// The people of the list to notify; empty when the same people have it open as before.
    package var toNotify: Set<AccountID> = []
}

extension Connection {
    func presence(on list: ListID) async throws -> [Presence] {
        try await execute(PresenceSQL.ofList, [list]).map(Presence.init(row:))
    }
}

extension Presence {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, until) = try row.decode((AccountID, Timestamp).self)
        self.init(account: account, until: until)
    }
}

extension PresentDevice {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, device, since, key) = try row.decode((AccountID, DeviceID, Timestamp, [UInt8]).self)
        self.init(account: account, device: device, since: since, hailKey: Base64URL.encode(key))
    }
}

extension ReadMark {
    init(row: Row) throws(PostgresError) {
        let (account, through) = try row.decode((AccountID, SequenceNumber).self)
        self.init(account: account, through: through)
    }
}
