import Synchronization

/// Sessions that the database has confirmed a moment ago, so that a device that asks often is not looked up each time.
///
/// A session counts for half a second after it was confirmed: a token that is revoked, by whichever process, is refused
/// within a second everywhere, and at once by the process that revoked it.
final class SessionCache: Sendable {
    static let trust: Duration = .milliseconds(500)

    private struct Confirmed {
        let session: Session
        let until: ContinuousClock.Instant
    }

    private struct State {
        var confirmed: [[UInt8]: Confirmed] = [:]
        /// Counts how often sessions ended, so that an answer that was on its way meanwhile isn't kept.
        var endings = 0
        /// When so many are kept, those that count no more are let go.
        var limit = 1_024
    }

    private let state = Mutex(State())

    /// - Parameter now: when the answer will be used.
    func session(tokenHash: [UInt8], now: ContinuousClock.Instant) -> Session? {
        state.withLock { state in
            guard let confirmed = state.confirmed[tokenHash], confirmed.until > now else { return nil }
            return confirmed.session
        }
    }

    /// How many are kept, those that count no more among them.
    var count: Int { state.withLock(\.confirmed.count) }

    /// To be asked before the database is.
    var endings: Int { state.withLock(\.endings) }

    /// Keeps a session that the database has just confirmed.
    /// - Parameters:
    ///   - endings: as it was before the database was asked.
    ///   - asked: when it was.
    func keep(_ session: Session, tokenHash: [UInt8], endings: Int, asked: ContinuousClock.Instant) {
        state.withLock { state in
            guard state.endings == endings else { return }
            if state.confirmed.count >= state.limit {
                state.confirmed = state.confirmed.filter { $0.value.until > asked }
                state.limit = max(1_024, 2 * state.confirmed.count)
            }
            state.confirmed[tokenHash] = Confirmed(session: session, until: asked + Self.trust)
        }
    }

    /// Somebody's session has ended: nothing that was confirmed before counts.
    func clear() {
        state.withLock { state in
            state.endings += 1
            state.confirmed = [:]
        }
    }
}
