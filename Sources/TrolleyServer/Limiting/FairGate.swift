import Synchronization

/// Runs at most a number of things at the same time, fairly among keys, and lets a bounded number wait: ``FairQueue``.
final class FairGate<Key: Hashable & Sendable>: Sendable {
    /// There is no room to wait.
    struct Crowded: Error {}

    private struct State {
        var running = 0
        /// Who waits; told whether it is their turn, or that there is no room for them any more.
        var queue: FairQueue<Key, CheckedContinuation<Bool, Never>>
    }

    private let parallel: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - parallel: at the same time, at least 1.
    ///   - waiting: that may wait, of all keys together.
    init(parallel: Int, waiting: Int) {
        self.parallel = max(1, parallel)
        state = Mutex(State(queue: FairQueue(maximum: waiting)))
    }

    var waiting: Int { state.withLock { $0.queue.count } }

    /// Runs `body` when it is the key's turn.
    /// - Throws: ``Crowded``, and what `body` throws.
    func withTurn<Value: Sendable>(of key: Key, _ body: () async throws -> Value) async throws -> Value {
        guard await enter(key) else { throw Crowded() }
        defer { leave() }
        return try await body()
    }

    private func enter(_ key: Key) async -> Bool {
        await withCheckedContinuation { continuation in
            let told = state.withLock { state -> (who: CheckedContinuation<Bool, Never>, isTurn: Bool)? in
                if state.running < parallel {
                    state.running += 1
                    return (continuation, true)
                }
                return state.queue.enter(continuation, of: key).map { ($0, false) }
            }
            told?.who.resume(returning: told?.isTurn ?? false)
        }
    }

    /// Passes the place on, so that nobody who comes meanwhile gets before those that wait.
    private func leave() {
        let next = state.withLock { state in
            let next = state.queue.next()
            if next == nil { state.running -= 1 }
            return next
        }
        next?.resume(returning: true)
    }
}
