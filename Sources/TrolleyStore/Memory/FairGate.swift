import Synchronization

/// Runs a bounded number of things at the same time, fairly among keys, and lets a bounded number wait: ``FairQueue``.
public final class FairGate<Key: Hashable & Sendable>: Sendable {
    /// There is no room to wait.
    public struct Crowded: Error {}

    private struct State {
        /// How many run of each key.
        var running: [Key: Int] = [:]
        var total = 0
        /// Who waits; told whether it is their turn, or that there is no room for them any more.
        var queue: FairQueue<Key, CheckedContinuation<Bool, Never>>
    }

    private let parallel: Int
    private let parallelOfKey: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - parallel: how many run at the same time, at least 1.
    ///   - parallelOfKey: how many of one key, at least 1.
    ///   - waiting: how many may wait, of all keys together.
    ///   - waitingOfKey: how many of one key may wait.
    public init(parallel: Int, parallelOfKey: Int = .max, waiting: Int, waitingOfKey: Int = .max) {
        self.parallel = max(1, parallel)
        self.parallelOfKey = max(1, parallelOfKey)
        state = Mutex(State(queue: FairQueue(maximum: waiting, ofKey: waitingOfKey)))
    }

    /// How many wait.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// Runs `body` when it is the key's turn.
    /// - Throws: ``Crowded``, and what `body` throws.
    public func withTurn<Value>(of key: Key, _ body: () async throws -> Value) async throws -> Value {
        guard await enter(key) else { throw Crowded() }
        defer { leave(key) }
        return try await body()
    }

    /// Runs `body` if that needs no waiting.
    /// - Returns: nil when it does.
    public func atOnce<Value>(of key: Key, _ body: () async throws -> Value) async throws -> Value? {
        guard state.withLock({ begin(key, &$0) }) else { return nil }
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: Key) async -> Bool {
        await withCheckedContinuation { continuation in
            let told = state.withLock { state -> (who: CheckedContinuation<Bool, Never>, isTurn: Bool)? in
                if begin(key, &state) { return (continuation, true) }
                return state.queue.enter(continuation, of: key).map { ($0, false) }
            }
            told?.who.resume(returning: told?.isTurn ?? false)
        }
    }

    /// Takes a place for the key, if there is one. Whoever waits for a key that may run has it already.
    private func begin(_ key: Key, _ state: inout State) -> Bool {
        guard state.total < parallel, state.running[key, default: 0] < parallelOfKey else { return false }
        state.running[key, default: 0] += 1
        state.total += 1
        return true
    }

    /// Passes the place on, so that nobody who comes meanwhile gets before those that wait.
    private func leave(_ key: Key) {
        let next = state.withLock { state in
            state.total -= 1
            let running = state.running[key, default: 0] - 1
            state.running[key] = running > 0 ? running : nil
            guard
                let next = state.queue.next(where: { state.running[$0, default: 0] < parallelOfKey })
            else { return nil as CheckedContinuation<Bool, Never>? }
            _ = begin(next.key, &state)
            return next.element
        }
        next?.resume(returning: true)
    }
}
