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
            try await execute(EpochSQL.adopt)
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
        try await execute(EpochSQL.renew, [PostgresUUID(high: epoch.high, low: epoch.low), reason.rawValue])
        return try await currentEpoch().epoch
    }

    private func currentEpoch() async throws(StoreError) -> (epoch: Epoch, origin: String?, actual: String?) {
        try await one(EpochSQL.current) { row throws(PostgresError) in
            let (id, beganAt, reason, origin, actual) = try row.decode(
                (PostgresUUID, Timestamp, Epoch.Reason, String?, String?).self)
            return (
                Epoch(id: UUIDBits(high: id.high, low: id.low), beganAt: beganAt, reason: reason), origin, actual
            )
        }
    }
}
