import Synchronization

/// Requests to look at something, for one reader. Requests that come while it looks become one.
final class Wake: Sendable {
    private struct State {
        var isRequested = false
        var waiting: CheckedContinuation<Void, Never>?
        /// The wait that is under way, and whether its time is over.
        var number = 0
        var isOver = false
    }

    private let state = Mutex(State())

    func request() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let waiting = state.waiting else {
                state.isRequested = true
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
    }

    /// Returns when a look was requested since the last return, after `limit`, or when the task is cancelled.
    func wait(atMost limit: Duration) async {
        let number = state.withLock { state in
            state.number += 1
            state.isOver = false
            return state.number
        }
        let timer = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            end(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isRequested || state.isOver || Task.isCancelled {
                        state.isRequested = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            end(number)
        }
        timer.cancel()
    }

    /// Ends a wait without a request.
    private func end(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.number == number else { return nil }
            state.isOver = true
            let waiting = state.waiting
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
    }
}
