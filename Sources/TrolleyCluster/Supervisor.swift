internal import Logging
internal import Synchronization

/// Keeps the server running until `stop`. It restarts the server without limit, and logs each failure.
final class Supervisor: Sendable {
    private struct State {
        var isStopping = false
        var isHandedOver = false
        var hasCrashed = false
        /// Ends the current run.
        var run: AsyncStream<Never>.Continuation?
        /// The pause before the next run.
        var pause: Task<Void, any Error>?
        /// Held while a server may run.
        var lock: DirectoryLock?
    }

    private let postmaster: Postmaster
    private let orphanedProcesses: OrphanedProcesses
    private let logger: Logger
    private let state: Mutex<State>

    init(postmaster: Postmaster, orphanedProcesses: OrphanedProcesses, lock: DirectoryLock, logger: Logger) {
        self.postmaster = postmaster
        self.orphanedProcesses = orphanedProcesses
        self.logger = logger
        state = Mutex(State(lock: lock))
    }

    /// True once the server has ended by itself, or was told to stop.
    var hasEnded: Bool { state.withLock { $0.hasCrashed || $0.isStopping } }

    /// True once the server was stopped because a service wants the directory.
    var isHandedOver: Bool { state.withLock { $0.isHandedOver } }

    /// Shuts the server down, and doesn't restart it.
    func stop() {
        let (run, pause) = state.withLock { state in
            state.isStopping = true
            return (state.run, state.pause)
        }
        run?.finish()
        pause?.cancel()
    }

    func run(socketDirectory: String) async {
        defer {
            postmaster.directory.removeSocketDirectory()
            state.withLock { $0.lock = nil }
        }
        var restarts = postmaster.configuration.restarts
        while let stop = nextRun() {
            let start = ContinuousClock.now
            var reason = "it exited"
            do {
                // The children of a crashed postmaster may still hold its shared memory.
                try await orphanedProcesses.clear()
                if postmaster.reserve.releaseIfNeeded() { noteRelease() }
                try await postmaster.run(socketDirectory: socketDirectory, until: stop)
            } catch {
                reason = "\(error)"
            }
            let isStopping = state.withLock { state in
                state.hasCrashed = true
                return state.isStopping
            }
            if isStopping { return }
            let pause = restarts.pause(after: ContinuousClock.now - start)
            logger.error(
                "PostgreSQL has stopped and will be restarted",
                metadata: [
                    "reason": "\(reason)", "tries": "\(restarts.failures)", "in": "\(pause)",
                    "log": "\(postmaster.directory.log)", "said": "\(postmaster.directory.lastFatalLines)",
                ])
            await wait(pause)
        }
    }

    /// While the server runs: releases the directory to a service that wants it, and maintains the reserve. Runs until
    /// it is cancelled.
    func monitor() async {
        var rounds = 0
        while !Task.isCancelled {
            if state.withLock({ $0.lock?.isWanted == true }) {
                logger.notice("a service has started on the data directory: releasing it")
                state.withLock { $0.isHandedOver = true }
                stop()
                return
            }
            // Without free space the server's next checkpoint would end it.
            if postmaster.reserve.releaseIfNeeded(whileRunning: true) { noteRelease() }
            rounds += 1
            if rounds.isMultiple(of: Self.roundsPerReserveCheck) { postmaster.reserve.createIfPossible() }
            do { try await Task.sleep(for: Self.round) } catch { return }
        }
    }

    private func noteRelease() {
        logger.error(
            "the disk is full: the reserve was released for PostgreSQL",
            metadata: ["file": "\(postmaster.reserve.path)"])
    }

    private static let round: Duration = .milliseconds(200)
    /// Once a minute.
    private static let roundsPerReserveCheck = 300

    /// Waits for `time`, or until `stop`.
    private func wait(_ time: Duration) async {
        let pause = Task { try await Task.sleep(for: time) }
        let isStopping = state.withLock { state in
            state.pause = pause
            return state.isStopping
        }
        if isStopping { pause.cancel() }
        _ = await pause.result
    }

    /// The signal that ends the next run; nil after `stop`.
    private func nextRun() -> AsyncStream<Never>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        return state.withLock { state in
            if state.isStopping { return nil }
            state.run = continuation
            return stream
        }
    }
}
