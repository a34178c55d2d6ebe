import Synchronization
import TrolleySync

/// Publishes the progress of synchronization. Readers always get the latest state, so nothing piles up.
final class ProgressFeed: Sendable {
    private struct State {
        /// nil: nobody knows; ``begin(with:)`` says it.
        var latest: SyncProgress?
        var next = 0
        var watchers: [Int: AsyncStream<SyncProgress>.Continuation] = [:]

        mutating func publish(_ progress: SyncProgress) {
            guard latest != progress else { return }
            latest = progress
            for watcher in watchers.values { watcher.yield(progress) }
        }
    }

    private let state = Mutex(State())

    /// Whether the latest state is known.
    var isKnown: Bool { state.withLock { $0.latest != nil } }

    func publish(_ progress: SyncProgress) { state.withLock { $0.publish(progress) } }

    /// - Parameter current: the state, unless a newer one has been published.
    func begin(with current: SyncProgress) { state.withLock { if $0.latest == nil { $0.publish(current) } } }

    /// The latest state is over. If nobody follows it, the next reader asks for the present one.
    /// - Returns: whether somebody does.
    func noteChange() -> Bool {
        state.withLock { state in
            if state.watchers.isEmpty { state.latest = nil }
            return !state.watchers.isEmpty
        }
    }

    /// The latest state, if it is known, and each later one.
    func stream() -> AsyncStream<SyncProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.watchers[state.next] = continuation
                if let latest = state.latest { continuation.yield(latest) }
                return state.next
            }
            continuation.onTermination = { [self] _ in state.withLock { $0.watchers[number] = nil } }
        }
    }
}
