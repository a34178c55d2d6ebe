import Synchronization
import TrolleyJournal
import TrolleyPostgres

/// Caches sessions that the database has confirmed, so that not every request needs a query.
///
/// The database counts how often sessions end. A cached session is valid while that count is known to be the same as
/// when the session was confirmed; the count is trusted for ``trust`` after it was read. So a revoked token is refused
/// within a second by every process, and at once by the process that revoked it. Under load, one query per half second
/// is enough for all sessions.
final class SessionCache: Sendable {
    /// How long the count that was read last is trusted.
    static let trust: Duration = .milliseconds(500)
    /// The longest time between two queries for the same session; each query records that the device was here.
    static let longest: Duration = .seconds(60)

    /// Identifies a state of all sessions: it changes when any session ends.
    struct Generation: Hashable, Sendable {
        /// A restored database may repeat an earlier count.
        let epoch: UUIDBits
        let ended: Int64
    }

    private struct Confirmed {
        let session: Session
        let generation: Generation
        let until: ContinuousClock.Instant
    }

    private struct State {
        var confirmed: [[UInt8]: Confirmed] = [:]
        var generation: Generation?
        /// When the database was asked for the current generation.
        var asked = ContinuousClock.now
        /// The number of cached sessions at which outdated ones are removed.
        var limit = 1_024

        /// False if a newer answer has replaced this one.
        func isCurrent(_ generation: Generation, asked: ContinuousClock.Instant) -> Bool {
            guard let known = self.generation else { return true }
            return known.epoch == generation.epoch ? generation.ended >= known.ended : asked >= self.asked
        }
    }

    private let state = Mutex(State())

    /// - Parameter now: when the answer will be used.
    func session(tokenHash: [UInt8], now: ContinuousClock.Instant) -> Session? {
        state.withLock { state in
            guard state.asked + Self.trust > now, let confirmed = state.confirmed[tokenHash], confirmed.until > now,
                confirmed.generation == state.generation
            else { return nil }
            return confirmed.session
        }
    }

    /// The number of cached sessions, including outdated ones.
    var count: Int { state.withLock(\.confirmed.count) }

    /// Records an answer of the database.
    /// - Parameters:
    ///   - sessions: the confirmed sessions, by the hashes of their tokens.
    ///   - asked: when the database was asked, or earlier.
    func note(
        _ generation: Generation, _ sessions: [[UInt8]: Session] = [:], asked: ContinuousClock.Instant
    ) {
        state.withLock { state in
            guard state.isCurrent(generation, asked: asked) else { return }
            state.generation = generation
            state.asked = max(asked, state.asked)
            for (hash, session) in sessions {
                state.confirmed[hash] = Confirmed(
                    session: session, generation: generation, until: asked + Self.longest)
            }
            guard state.confirmed.count > state.limit else { return }
            state.confirmed = state.confirmed.filter { $0.value.until > asked && $0.value.generation == generation }
            state.limit = max(1_024, 2 * state.confirmed.count)
        }
    }
}

extension SessionCache.Generation {
    /// - Parameter row: begins with the columns `epoch` and `sessions_ended` of `service`.
    init(row: Row) throws(PostgresError) {
        let (epoch, ended) = try row.decode((PostgresUUID, Int64).self)
        self.init(epoch: UUIDBits(high: epoch.high, low: epoch.low), ended: ended)
    }
}
