internal import Logging
internal import Synchronization

/// Keeps the server running until it is told to stop, and gives up when it can't.
final class Supervisor: Sendable {
    private struct State {
        var isStopping = false
        /// How often the server has ended by itself.
        var crashes = 0
        /// Ends the run that is going on.
        var run: AsyncStream<Never>.Continuation?
        /// Held for as long as a server may run.
        var lock: DirectoryLock?
    }

    private let postmaster: Postmaster
    private let leftovers: Leftovers
    private let logger: Logger
    private let state: Mutex<State>

    /// A server that has run for this long did start.
    private static let steady: Duration = .seconds(10)
    private static let tries = 5

    init(postmaster: Postmaster, leftovers: Leftovers, lock: DirectoryLock, logger: Logger) {
        self.postmaster = postmaster
        self.leftovers = leftovers
        self.logger = logger
        state = Mutex(State(lock: lock))
    }

    /// True once the server has ended by itself.
    var hasCrashed: Bool { state.withLock { $0.crashes > 0 } }

    /// The server is shut down, and not started again.
    func stop() {
        let run = state.withLock { state in
            state.isStopping = true
            return state.run
        }
        run?.finish()
    }

    /// Errors: `keepsStopping`.
    func run(socketDirectory: String) async throws(ClusterError) {
        defer {
            postmaster.directory.removeSocketDirectory()
            state.withLock { $0.lock = nil }
        }
        var failures = 0
        while let stop = nextRun() {
            let start = ContinuousClock.now
            var reason = "it exited"
            do {
                try await postmaster.run(socketDirectory: socketDirectory, until: stop)
            } catch {
                reason = "\(error)"
            }
            let isStopping = state.withLock { state in
                state.crashes += 1
                return state.isStopping
            }
            if isStopping { return }
            failures = ContinuousClock.now - start < Self.steady ? failures + 1 : 1
            logger.error(
                "PostgreSQL has stopped", metadata: ["reason": "\(reason)", "log": "\(postmaster.directory.log)"])
            if failures >= Self.tries { throw .keepsStopping(log: postmaster.directory.log) }
            try? await Task.sleep(for: .milliseconds(100 << failures))
            // A crashed postmaster's children may still hold its memory.
            try await leftovers.clear(within: postmaster.configuration.takeoverTimeout)
        }
    }

    /// Nil when it is time to stop.
    private func nextRun() -> AsyncStream<Never>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        return state.withLock { state in
            if state.isStopping { return nil }
            state.run = continuation
            return stream
        }
    }
}
