import Synchronization
import TrolleySync

/// Publishes the progress of synchronization. Readers always get the latest state, so nothing piles up.
final class ProgressFeed: Sendable {
    private struct State {
        var latest: SyncProgress?
        var next = 0
        var watchers: [Int: AsyncStream<SyncProgress>.Continuation] = [:]
    }

    private let state = Mutex(State())

    var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

    func publish(_ progress: SyncProgress) {
        state.withLock { state in
            guard state.latest != progress else { return }
            state.latest = progress
            for watcher in state.watchers.values { watcher.yield(progress) }
        }
    }

    /// - Parameter current: the first state for the reader, unless a newer one is known.
    func stream(from current: SyncProgress) -> AsyncStream<SyncProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.watchers[state.next] = continuation
                continuation.yield(state.latest ?? current)
                return state.next
            }
            continuation.onTermination = { [self] _ in state.withLock { $0.watchers[number] = nil } }
        }
    }
}
