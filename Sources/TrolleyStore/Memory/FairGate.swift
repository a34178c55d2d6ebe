import Synchronization

/// Lets a few run at the same time, one of each owner, and the owners in turn: who asks a hundred times waits for their own
/// hundred, and others wait for one of them at the most.
final class FairGate<Owner: Hashable & Sendable>: Sendable {
    /// Too many wait already.
    struct Full: Error {}

    private typealias Waiter = (owner: Owner, continuation: CheckedContinuation<Void, Never>)

    private struct State {
        var lanes = Lanes<Owner, Waiter>()
        var running = 0
    }

    private let parallel: Int
    private let waitingPerOwner: Int
    private let waiting: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - parallel: how many run at the same time.
    ///   - waitingPerOwner: how many of one owner wait at the most.
    ///   - waiting: how many wait in all at the most.
    init(parallel: Int, waitingPerOwner: Int = 64, waiting: Int = 1000) {
        self.parallel = max(1, parallel)
        self.waitingPerOwner = waitingPerOwner
        self.waiting = waiting
    }

    /// How many wait.
    var waitingNow: Int { state.withLock { $0.lanes.count } }

    /// Runs `body` when it is its turn.
    /// - Throws: `Full`, and whatever `body` throws.
    func run<Value>(for owner: Owner, _ body: () async throws -> Value) async throws -> Value {
        guard await enter(owner) else { throw Full() }
        defer { leave(owner) }
        return try await body()
    }

    /// - Returns: false when too many wait.
    private func enter(_ owner: Owner) async -> Bool {
        var isAdmitted = true
        await withCheckedContinuation { continuation in
            let next: [Waiter]? = state.withLock { state in
                guard state.lanes.count(in: owner) < waitingPerOwner, state.lanes.count < waiting else { return nil }
                state.lanes.add((owner, continuation), to: owner)
                return start(&state)
            }
            guard let next else {
                isAdmitted = false
                return continuation.resume()
            }
            for waiter in next { waiter.continuation.resume() }
        }
        return isAdmitted
    }

    private func leave(_ owner: Owner) {
        let next = state.withLock { state in
            state.running -= 1
            state.lanes.finish(owner)
            return start(&state)
        }
        for waiter in next { waiter.continuation.resume() }
    }

    /// Those whose turn it is.
    private func start(_ state: inout State) -> [Waiter] {
        var started: [Waiter] = []
        while state.running < parallel, let next = state.lanes.take(until: { _ in true }).first {
            state.running += 1
            started.append(next)
        }
        return started
    }
}
