package import TrolleyJournal
import TrolleyPostgres

/// A period in which the database lost nothing. Tokens of an earlier epoch are refused.
package struct Epoch: Hashable, Sendable {
    package let id: UUIDBits
    package let beganAt: Timestamp
    package let reason: Reason

    /// Why an epoch began.
    package enum Reason: String, CaseIterable, Sendable {
        /// The database was created.
        case begun
        /// An operator began it.
        case declared
        /// The database is in another cluster than before, or on another timeline.
        case otherOrigin
        /// A device knew changes of a list that the database doesn't have.
        case wentBack
    }
}

extension Epoch.Reason: TextColumn {}

extension Store {
    /// Returns the present epoch. Begins a new one first if the database is a restored copy or a promoted standby.
    package func checkEpoch() async throws(StoreError) -> Epoch {
        let (epoch, origin, actual) = try await currentEpoch()
        // A standby can't write.
        guard let actual, actual != origin else { return epoch }
        if origin == nil {
            try await execute(EpochSQL.adopt, [actual])
            return epoch
        }
        return try await beginEpoch(after: epoch.id, because: .otherOrigin)
    }

    /// Returns the present epoch without any check.
    package func epoch() async throws(StoreError) -> Epoch { try await currentEpoch().epoch }

    /// Begins a new epoch, unless the given one has ended already. Of several processes one does it.
    /// - Returns: the present epoch.
    @discardableResult
    package func beginEpoch(after epoch: UUIDBits, because reason: Epoch.Reason) async throws(StoreError) -> Epoch {
        try await execute(
            EpochSQL.renew,
            [
                PostgresUUID(high: epoch.high, low: epoch.low), PostgresUUID.version4(RandomBits.random),
                reason.rawValue, try await currentEpoch().actual,
            ])
        return try await currentEpoch().epoch
    }

    /// The present epoch, the origin that it was recorded with, and the database's origin (nil on a standby).
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
