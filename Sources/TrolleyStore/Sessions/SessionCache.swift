import Synchronization
import TrolleyJournal
import TrolleyPostgres

/// Caches sessions that the database has confirmed, so that not every request needs a query.
///
/// The database numbers the ends of sessions. A cached session is valid while all ends since its confirmation are known and
/// its own is not among them; the number of the last end is trusted for ``trust`` after it was read. So a revoked token is
/// refused within a second by every process, and at once by the process that revoked it; and no other session is asked for
/// again. Under load, one query per half second is enough for all sessions.
final class SessionCache: Sendable {
    /// How long the number that was read last is trusted.
    static let trust: Duration = .milliseconds(500)
    /// The longest time between two queries for the same session; each query records that the device was here.
    static let longest: Duration = .seconds(60)
    /// The number of ends that are read at a time. If there were more, no session that was confirmed before is valid.
    static let mostEnded = 1000

    /// The number of sessions that have ended.
    struct Generation: Hashable, Sendable {
        /// A restored database may repeat an earlier number.
        let epoch: UUIDBits
        let ended: Int64
    }

    /// A session that has ended.
    struct Ended: Hashable, Sendable {
        /// Its place among all ends.
        let number: Int64
        let device: DeviceID
    }

    private struct Confirmed {
        let session: Session
        let generation: Generation
        let until: ContinuousClock.Instant
    }

    private struct State {
        var confirmed: [[UInt8]: Confirmed] = [:]
        var generation: Generation?
        /// The last end of each device's session that may still be cached, and until when it may.
        var ended: [DeviceID: (number: Int64, until: ContinuousClock.Instant)] = [:]
        /// Sessions that were confirmed before this end are not valid: not all ends up to it are known.
        var floor: Int64 = 0
        /// When the database was asked for the current generation.
        var asked = ContinuousClock.now
        /// The number of cached sessions at which outdated ones are removed.
        var limit = 1_024

        /// False if a newer answer has replaced this one.
        func isCurrent(_ generation: Generation, asked: ContinuousClock.Instant) -> Bool {
            guard let known = self.generation else { return true }
            return known.epoch == generation.epoch ? generation.ended >= known.ended : asked >= self.asked
        }

        func isValid(_ confirmed: Confirmed) -> Bool {
            guard confirmed.generation.epoch == generation?.epoch, confirmed.generation.ended >= floor else {
                return false
            }
            return ended[confirmed.session.device].map { $0.number <= confirmed.generation.ended } ?? true
        }

        /// Takes the ends since the known generation.
        mutating func advance(to generation: Generation, _ ends: [Ended], asked: ContinuousClock.Instant) {
            let known = self.generation?.epoch == generation.epoch ? self.generation?.ended : nil
            self.generation = generation
            guard let known else {
                // Of another epoch, or the first: what was confirmed before has another epoch or doesn't exist.
                ended = [:]
                floor = 0
                return
            }
            let new = Set(ends.lazy.map(\.number).filter { $0 > known && $0 <= generation.ended })
            // Processes of an earlier version count ends without saying whose.
            if new.count < generation.ended - known { floor = generation.ended }
            for end in ends where end.number > ended[end.device]?.number ?? 0 {
                ended[end.device] = (end.number, asked + SessionCache.longest)
            }
        }

        mutating func removeOutdated(at now: ContinuousClock.Instant) {
            ended = ended.filter { $0.value.until > now }
            guard confirmed.count > limit else { return }
            confirmed = confirmed.filter { $0.value.until > now && isValid($0.value) }
            limit = max(1_024, 2 * confirmed.count)
        }
    }

    private let state = Mutex(State())

    /// The number of the last end that is known.
    var ended: Int64 { state.withLock { $0.generation?.ended ?? 0 } }

    /// - Parameter now: when the answer will be used.
    func session(tokenHash: [UInt8], now: ContinuousClock.Instant) -> Session? {
        state.withLock { state in
            guard state.asked + Self.trust > now, let confirmed = state.confirmed[tokenHash], confirmed.until > now,
                state.isValid(confirmed)
            else { return nil }
            return confirmed.session
        }
    }

    /// The number of cached sessions, including outdated ones.
    var count: Int { state.withLock(\.confirmed.count) }

    /// Records an answer of the database.
    /// - Parameters:
    ///   - sessions: the confirmed sessions, by the hashes of their tokens.
    ///   - ended: the ends since the known generation, or more.
    ///   - remaining: how long those with an end of their own last, by the hashes of their tokens.
    ///   - asked: when the database was asked, or earlier.
    func note(
        _ generation: Generation, _ sessions: [[UInt8]: Session] = [:], ended: [Ended] = [],
        remaining: [[UInt8]: Duration] = [:], asked: ContinuousClock.Instant
    ) {
        state.withLock { state in
            guard state.isCurrent(generation, asked: asked) else { return }
            state.advance(to: generation, ended, asked: asked)
            state.asked = max(asked, state.asked)
            for (hash, session) in sessions {
                state.confirmed[hash] = Confirmed(
                    session: session, generation: generation,
                    until: asked + min(Self.longest, remaining[hash] ?? Self.longest))
            }
            state.removeOutdated(at: asked)
        }
    }
}

extension SessionCache.Generation {
    /// - Parameter row: begins with the columns `epoch` and `sessions_ended` of `service`.
    init(row: Row) throws(PostgresError) {
        let (epoch, ended) = try row.decode((PostgresUUID, Int64).self)
        self.init(epoch: UUIDBits(high: epoch.high, low: epoch.low), ended: ended)
    }

    /// The ends of these devices' sessions, if they were the last ones.
    func ends(_ devices: [DeviceID]) -> [SessionCache.Ended] {
        devices.enumerated().map { index, device in
            SessionCache.Ended(number: ended - Int64(devices.count) + Int64(index) + 1, device: device)
        }
    }
}
