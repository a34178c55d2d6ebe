package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Records that a device has the list open, until the lease ends, or has closed it. One round trip.
    /// - Parameters:
    ///   - lease: milliseconds; nil: the list is closed.
    ///   - hailKey: the device's public key for hails; nil: it doesn't enter rooms.
    /// - Throws: `.notOnList`, `.gone`.
    package func setPresence(
        of session: Session, on list: ListID, for lease: Int64?, hailKey: [UInt8]? = nil
    ) async throws(StoreError) -> PresenceChange {
        let write: Query =
            if let lease {
                .execute(PresenceSQL.enter, [list, session.account, session.device, lease, hailKey])
            } else {
                .execute(PresenceSQL.leave, [list, session.account, session.device])
            }
        // Its statements are one transaction.
        let answers = try await typed {
            try await pool.withConnection { connection in
                try await connection.pipeline([
                    .execute(PresenceSQL.ofList, [list]), write, .execute(PresenceSQL.ofList, [list]),
                    .execute(PresenceSQL.devices, [list]), .execute(MemberSQL.ofList, [list]),
                    .execute(PresenceSQL.plan, [list, lease ?? 0, lease == nil]),
                ])
            }
        }
        let (people, planned): (Set<AccountID>, (isLate: Bool, now: Timestamp)?)
        var change: PresenceChange
        do throws(PostgresError) {
            people = Set(try answers[4].map { row throws(PostgresError) in try row.decode(AccountID.self, at: 0) })
            planned = try answers[5].first?.decode((Bool, Timestamp).self)
            let before = try answers[0].map(Presence.init(row:))
            change = PresenceChange(presence: try answers[2].map(Presence.init(row:)), now: planned?.now)
            if hailKey != nil { change.devices = try answers[3].map(PresentDevice.init(row:)) }
            if before.map(\.account) != change.presence.map(\.account) { change.toNotify = people }
        } catch { throw StoreError(error) }
        // The statements that write have asked so, too.
        guard people.contains(session.account), planned != nil else {
            throw try await membershipError(of: session.account, from: list)
        }
        if planned?.isLate == true {
            change.isHastened = await hastenSummaries(of: list, within: lease ?? 0, always: lease == nil)
        }
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

    /// Changes where an account keeps a list among its own.
    /// - Returns: the place now, and how often it was changed.
    /// - Throws: `.notOnList`, `.gone`.
    package func place(
        _ list: ListID, _ change: ChangePlaceRequest, by account: AccountID
    ) async throws(StoreError) -> (place: ListPlace, count: Int64) {
        let binds: [any PostgresEncodable] = [list, account, change.pinned, change.archived, change.rank]
        let placed = try await first(MemberSQL.place, binds) { row throws(PostgresError) in
            let (pinned, archived, rank, count) = try row.decode((Bool, Bool, Int64?, Int64).self)
            return (ListPlace(pinned: pinned, archived: archived, rank: rank), count)
        }
        guard let placed else { throw try await membershipError(of: account, from: list) }
        return placed
    }

    /// Deletes expired presence, summaries, codes, deliveries and registrations, and records of sessions that ended more
    /// than an hour ago.
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
        try await execute(RegistrationSQL.deleteExpired)
        try await execute(RegistrationSQL.deleteExpiredTargets)
        try await execute(DeviceSQL.forgetEnded)
    }
}

/// The people who have a list open, after one of them has opened or closed it.
package struct PresenceChange: Sendable {
    package var presence: [Presence]
    /// The devices that have the list open and enter rooms; empty for a device that doesn't.
    package var devices: [PresentDevice] = []
    /// The people of the list to notify; empty when the same people have it open as before.
    package var toNotify: Set<AccountID> = []
    /// By the database's clock.
    package var now: Timestamp?
    /// Whether services have to look earlier for what they tell the others of the list.
    package var isHastened = false
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
