import Synchronization
import TrolleyJournal
import TrolleyPostgres

/// Sessions that the database has confirmed, so that a device that asks often is not looked up each time.
///
/// The database counts how often sessions end. A session counts for as long as that number is known to be the one with
/// which it was confirmed: half a second after anybody was last looked up. So a token that is revoked, by whichever
/// process, is refused within a second everywhere, and at once by the process that revoked it; and under load one look
/// in half a second is enough for all.
final class SessionCache: Sendable {
    /// How long what the database said of the number is trusted.
    static let trust: Duration = .milliseconds(500)
    /// After so long a device is looked up in any case: it is noted then that it was here.
    static let longest: Duration = .seconds(60)

    /// Which sessions there are: another one when any of them has ended.
    struct Generation: Hashable, Sendable {
        /// A restored database may count what it has counted before.
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
        /// When the database was asked that said so.
        var asked = ContinuousClock.now
        /// When so many are kept, those that count no more are let go.
        var limit = 1_024

        /// False for an answer that was overtaken by another.
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

    /// How many are kept, those that count no more among them.
    var count: Int { state.withLock(\.confirmed.count) }

    /// Takes note of what the database says.
    /// - Parameters:
    ///   - sessions: those that it has confirmed, by the hashes of their tokens.
    ///   - asked: when it was asked, or earlier.
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
