import Synchronization
import TrolleyStore

/// Checks whether the database is ready. While a recent probe has succeeded, nobody waits for the next one.
final class ReadinessCheck: Sendable {
    private typealias Waiter = CheckedContinuation<StoreError?, Never>

    private let patience: Duration
    private let probe: @Sendable () async throws(StoreError) -> Void
    private let state: Mutex<(probing: ProbeState, waiters: [Waiter])>

    /// - Parameters:
    ///   - refreshAge: the age of a success from which the next question starts a new probe.
    ///   - maximumAge: the age up to which a success answers a question.
    ///   - patience: how long a question waits for a probe.
    ///   - probe: throws when the database isn't ready.
    init(
        refreshAge: Duration = .milliseconds(100), maximumAge: Duration = .milliseconds(500),
        patience: Duration = .seconds(1), probe: @escaping @Sendable () async throws(StoreError) -> Void
    ) {
        self.patience = patience
        self.probe = probe
        state = Mutex((ProbeState(refreshAge: refreshAge, maximumAge: maximumAge, patience: patience), []))
    }

    /// - Throws: the error of a probe that began at most ``patience`` ago, or `healthCheckOverdue` if it hasn't ended.
    func check() async throws(StoreError) {
        let failure: StoreError? = await withCheckedContinuation { waiter in
            let action = state.withLock { state in
                let action = state.probing.ask(at: .now)
                if action.answer == .wait { state.waiters.append(waiter) }
                return action
            }
            switch action.answer {
            case .ready: waiter.resume(returning: nil)
            case .overdue: waiter.resume(returning: StoreError.healthCheckOverdue)
            case .wait: break
            }
            if let number = action.probe { start(number) }
        }
        if let failure { throw failure }
    }

    private func start(_ number: Int) {
        Task {
            var failure: StoreError?
            do throws(StoreError) { try await probe() } catch { failure = error }
            let answer = failure
            answerWaiters(with: answer) { $0.ended(number, successfully: answer == nil, at: .now) }
        }
        Task {
            try await Task.sleep(for: patience)
            answerWaiters(with: StoreError.healthCheckOverdue) { $0.isRunning(number) }
        }
    }

    /// Answers all waiters if `condition` holds.
    private func answerWaiters(with failure: StoreError?, if condition: (inout ProbeState) -> Bool) {
        let waiters = state.withLock { state -> [Waiter] in
            guard condition(&state.probing) else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: failure) }
    }
}
