import Synchronization
import TrolleyPostgres

/// Runs a bounded number of operations at the same time, fairly among keys, and lets a bounded number wait
/// (``FairQueue``).
package final class FairGate<Key: Hashable & Sendable>: Sendable {
    /// The queue is full.
    package struct QueueFull: Error {}

    private enum Turn {
        case come, displaced, cancelled
    }

    private struct State {
        /// Running operations of each key.
        var running: [Key: Int] = [:]
        var total = 0
        /// Waiting operations.
        var queue: FairQueue<Key, Promise<Turn>>
    }

    private let parallel: Int
    private let parallelOfKey: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - parallel: the largest number of operations that run at the same time, at least 1.
    ///   - parallelOfKey: the same for one key, at least 1.
    ///   - waiting: the largest number of operations that wait, for all keys together.
    ///   - waitingOfKey: the same for one key.
    package init(parallel: Int, parallelOfKey: Int = .max, waiting: Int, waitingOfKey: Int = .max) {
        self.parallel = max(1, parallel)
        self.parallelOfKey = max(1, parallelOfKey)
        state = Mutex(State(queue: FairQueue(maximum: waiting, ofKey: waitingOfKey)))
    }

    /// The number of waiting operations.
    package var waiting: Int { state.withLock { $0.queue.count } }

    /// Runs `body` when it is the key's turn.
    /// - Throws: ``QueueFull``; `CancellationError` when the task is cancelled while it waits; the errors of `body`.
    package func withTurn<Value>(of key: Key, _ body: () async throws -> Value) async throws -> Value {
        switch await enter(key) {
        case .come: break
        case .displaced: throw QueueFull()
        case .cancelled: throw CancellationError()
        }
        defer { leave(key) }
        return try await body()
    }

    /// Runs `body` if it needn't wait.
    /// - Returns: nil when it would have to wait.
    package func withoutWaiting<Value>(of key: Key, _ body: () async throws -> Value) async throws -> Value? {
        guard state.withLock({ begin(key, &$0) }) else { return nil }
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: Key) async -> Turn {
        let (promise, displaced) = state.withLock { state -> (Promise<Turn>?, Promise<Turn>?) in
            if begin(key, &state) { return (nil, nil) }
            let promise = Promise<Turn>()
            return (promise, state.queue.enter(promise, of: key))
        }
        displaced?.fulfill(.displaced)
        guard let promise else { return .come }
        return await promise.value {
            let waiting = self.state.withLock { $0.queue.remove(of: key) { $0 === promise } }
            waiting?.fulfill(.cancelled)
        }
    }

    /// Takes a place for the key, if one is free. Waiting operations needn't be considered: those that may run have
    /// their places already.
    private func begin(_ key: Key, _ state: inout State) -> Bool {
        guard state.total < parallel, state.running[key, default: 0] < parallelOfKey else { return false }
        state.running[key, default: 0] += 1
        state.total += 1
        return true
    }

    /// Passes the place on to the next waiting operation, so that no newcomer overtakes it.
    private func leave(_ key: Key) {
        let next = state.withLock { state in
            state.total -= 1
            let running = state.running[key, default: 0] - 1
            state.running[key] = running > 0 ? running : nil
            guard
                let next = state.queue.next(where: { state.running[$0, default: 0] < parallelOfKey })
            else { return nil as Promise<Turn>? }
            _ = begin(next.key, &state)
            return next.element
        }
        next?.fulfill(.come)
    }
}
