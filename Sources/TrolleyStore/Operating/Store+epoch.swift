public import TrolleyJournal
import TrolleyPostgres

/// A stretch of the database's life in which nothing was lost: tokens of an earlier one are not honoured.
public struct Epoch: Hashable, Sendable {
    public let id: UUIDBits
    public let beganAt: Timestamp
    public let reason: Reason

    /// Why it began.
    public enum Reason: String, CaseIterable, Sendable {
        /// With the database.
        case begun
        /// An operator said so.
        case declared
        /// The database is in another cluster than it was, or on another timeline of it.
        case otherOrigin
        /// A device has seen more of a list than there is, or something else at its place.
        case wentBack
    }
}

extension Epoch.Reason: TextColumn {}

extension Store {
    /// The present epoch. Looks whether the database is a restored copy or a promoted standby; then a new epoch begins.
    public func checkEpoch() async throws(StoreError) -> Epoch {
        let (epoch, origin, actual) = try await currentEpoch()
        // A standby can't begin anything.
        guard let actual, actual != origin else { return epoch }
        if origin == nil {
            try await execute(EpochSQL.adopt, [actual])
            return epoch
        }
        return try await beginEpoch(after: epoch.id, because: .otherOrigin)
    }

    /// The present epoch, and nothing else is looked at.
    public func epoch() async throws(StoreError) -> Epoch { try await currentEpoch().epoch }

    /// Begins a new epoch, unless the given one is over already: of several processes one does it.
    /// - Returns: the epoch that is the present one then.
    @discardableResult
    public func beginEpoch(after epoch: UUIDBits, because reason: Epoch.Reason) async throws(StoreError) -> Epoch {
        try await execute(
            EpochSQL.renew,
            [
                PostgresUUID(high: epoch.high, low: epoch.low), PostgresUUID.version4(RandomBits.random),
                reason.rawValue, try await currentEpoch().actual,
            ])
        return try await currentEpoch().epoch
    }

    /// The present epoch, where it began, and where the database is (nil on a standby).
    private func currentEpoch() async throws(StoreError) -> (epoch: Epoch, origin: String?, actual: String?) {
        try await typed {
            let answers = try await pool.withConnection { connection in
                try await connection.pipeline([.execute(EpochSQL.current), .execute(EpochSQL.actualOrigin)])
            }
            let (id, beganAt, reason, origin) = try answers[0][0].decode(
                (PostgresUUID, Timestamp, Epoch.Reason, String?).self)
            let epoch = Epoch(id: UUIDBits(high: id.high, low: id.low), beganAt: beganAt, reason: reason)
            return (epoch, origin, try answers[1][0].decode(String?.self, at: 0))
        }
    }
}

extension PostgresUUID {
    /// A UUIDv4 (RFC 9562 §5.4).
    fileprivate static func version4(_ random: (UInt64, UInt64)) -> PostgresUUID {
        PostgresUUID(
            high: random.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: random.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}
