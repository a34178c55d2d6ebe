internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Waits for sockets. One thread sleeps in poll(2) for all waiting tasks.
///
/// poll keeps no state between calls, so a descriptor may be closed and its number reused at any time. Dispatch's
/// sources lose events in that case (`docs/decisions/0201`). A service has tens of connections, not thousands.
final class Readiness: Sendable {
    enum Outcome: Equatable, Sendable {
        case ready(readable: Bool, writable: Bool)
        case timedOut
        case cancelled
    }

    static let shared = Readiness()

    private struct Wait {
        let id: Int
        let socket: Int32
        let interest: Exchange.Interest
        let deadline: ContinuousClock.Instant?
        let promise: Promise<Outcome>
    }

    private struct State {
        var waits: [Wait] = []
        var lastID = 0
    }

    private let state = Mutex(State())
    /// Wakes the thread. If no descriptor was left for it, the thread polls every 10 ms.
    private let wakeUpPipe = WakeUpPipe()

    init() {
        DispatchQueue(label: "trolley.postgres.readiness").async { self.watch() }
    }

    /// The number of waits that have not ended.
    var waiting: Int { state.withLock(\.waits.count) }

    /// How long to let a large result accumulate: waking up for each piece costs more than reading it.
    private static let coalescingDelay = Duration.microseconds(500)

    /// Returns when the socket is ready, at `deadline`, or, if `cancellable`, when the task is cancelled.
    /// - Parameter coalescing: whether to wait a moment before polling a socket that isn't ready, so that more data
    ///   arrives.
    func wait(
        for interest: Exchange.Interest, on socket: Int32, until deadline: ContinuousClock.Instant?, cancellable: Bool,
        coalescing: Bool = false
    ) async -> Outcome {
        if let ready = Self.poll(socket, interest) { return ready }
        if coalescing {
            try? await Task.sleep(for: Self.coalescingDelay, tolerance: .zero)
            if let ready = Self.poll(socket, interest) { return ready }
        }
        let promise = Promise<Outcome>()
        let id = state.withLock { state in
            state.lastID += 1
            state.waits.append(
                Wait(id: state.lastID, socket: socket, interest: interest, deadline: deadline, promise: promise))
            return state.lastID
        }
        wakeUpPipe.wakeUp()
        return cancellable ? await promise.value { self.cancel(id) } : await promise.value
    }

    private func cancel(_ id: Int) {
        let wait: Wait? = state.withLock { state in
            state.waits.firstIndex { $0.id == id }.map { state.waits.remove(at: $0) }
        }
        wait?.promise.fulfill(.cancelled)
    }

    // MARK: The thread

    private func watch() {
        while true {
            let waits = state.withLock { $0.waits }
            var requests = [wakeUpPipe.request] + waits.map { Self.request($0.socket, $0.interest) }
            _ = systemPoll(&requests, nfds_t(requests.count), timeout(waits))
            wakeUpPipe.reset()
            let now = ContinuousClock.now
            var outcomes: [Int: Outcome] = [:]
            for (wait, request) in zip(waits, requests.dropFirst()) {
                if let ready = Self.outcome(request) {
                    outcomes[wait.id] = ready
                } else if let deadline = wait.deadline, deadline <= now {
                    outcomes[wait.id] = .timedOut
                }
            }
            if outcomes.isEmpty { continue }
            // A wait that was cancelled meanwhile is no longer in the list, and was already resumed.
            let ended = state.withLock { state in
                let ended = state.waits.filter { outcomes[$0.id] != nil }
                state.waits.removeAll { outcomes[$0.id] != nil }
                return ended
            }
            for wait in ended {
                if let outcome = outcomes[wait.id] { wait.promise.fulfill(outcome) }
            }
        }
    }

    /// Milliseconds to the next deadline, rounded up; -1 for no deadline.
    private func timeout(_ waits: [Wait]) -> Int32 {
        let next = waits.lazy.compactMap(\.deadline).min().map { deadline in
            max(0, Int32(clamping: Int64((deadline - .now) / .milliseconds(1)) + 1))
        }
        return wakeUpPipe.isWorking ? next ?? -1 : min(next ?? 10, 10)
    }

    // MARK: poll(2)

    private static func request(_ socket: Int32, _ interest: Exchange.Interest) -> pollfd {
        var wanted: Int32 = 0
        if interest != .writable { wanted |= Int32(POLLIN) }
        if interest != .readable { wanted |= Int32(POLLOUT) }
        return pollfd(fd: socket, events: Int16(wanted), revents: 0)
    }

    private static func poll(_ socket: Int32, _ interest: Exchange.Interest) -> Outcome? {
        var request = request(socket, interest)
        return systemPoll(&request, 1, 0) > 0 ? outcome(request) : nil
    }

    private static func outcome(_ request: pollfd) -> Outcome? {
        let found = Int32(request.revents)
        if found == 0 { return nil }
        // A hang-up or an error counts as ready: the next call on the socket returns the error.
        let isOver = found & ~(Int32(POLLIN) | Int32(POLLOUT)) != 0
        return .ready(readable: isOver || found & Int32(POLLIN) != 0, writable: isOver || found & Int32(POLLOUT) != 0)
    }
}

/// A pipe that this process writes to itself, to wake the thread.
private final class WakeUpPipe: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (reading, writing) = (ends[0], ends[1])
    }

    var isWorking: Bool { reading >= 0 }
    /// poll ignores a negative descriptor.
    var request: pollfd { pollfd(fd: reading, events: Int16(POLLIN), revents: 0) }

    func wakeUp() {
        // If the pipe is full, the thread wakes anyway.
        _ = write(writing, "!", 1)
    }

    func reset() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while read(reading, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }
}

#if canImport(Glibc)
    private let systemPoll = Glibc.poll
#elseif canImport(Musl)
    private let systemPoll = Musl.poll
#else
    private let systemPoll = Darwin.poll
#endif
