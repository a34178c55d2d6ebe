internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Waits for sockets: one thread, which sleeps in poll(2) for all that wait.
///
/// poll remembers nothing between two calls, so a descriptor may be closed and its number used again at any moment.
/// (`docs/decisions/0201`: Dispatch's sources lose events then.) A service has tens of connections, not thousands.
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
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var waits: [Wait] = []
        var lastID = 0
        /// Waits that were cancelled before they had begun.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())
    /// Ends the thread's sleep. If no descriptor was left for it, the thread looks every 10 ms.
    private let alarm = Alarm()

    private init() {
        DispatchQueue(label: "trolley.postgres.readiness").async { self.watch() }
    }

    /// How long something that arrives piece by piece may gather: waking up for a piece costs more than reading it.
    private static let gatheringTime = Duration.microseconds(500)

    /// Returns when the socket is ready, or at `deadline`, or when the task is cancelled, if `cancellable`.
    /// - Parameter gathering: whether to leave a socket that isn't ready alone for a moment, so that more is there then.
    func wait(
        for interest: Exchange.Interest, on socket: Int32, until deadline: ContinuousClock.Instant?, cancellable: Bool,
        gathering: Bool = false
    ) async -> Outcome {
        if let ready = Self.poll(socket, interest) { return ready }
        if gathering {
            try? await Task.sleep(for: Self.gatheringTime, tolerance: .zero)
            if let ready = Self.poll(socket, interest) { return ready }
        }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        guard cancellable else { return await begin(id, interest, socket, deadline) }
        let outcome = await withTaskCancellationHandler {
            await begin(id, interest, socket, deadline)
        } onCancel: {
            cancel(id)
        }
        if outcome == .cancelled { state.withLock { _ = $0.cancelled.remove(id) } }
        return outcome
    }

    private func begin(
        _ id: Int, _ interest: Exchange.Interest, _ socket: Int32, _ deadline: ContinuousClock.Instant?
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            let isCancelled = state.withLock { state in
                if state.cancelled.contains(id) { return true }
                state.waits.append(
                    Wait(id: id, socket: socket, interest: interest, deadline: deadline, continuation: continuation))
                return false
            }
            if isCancelled { continuation.resume(returning: .cancelled) } else { alarm.ring() }
        }
    }

    private func cancel(_ id: Int) {
        let wait: Wait? = state.withLock { state in
            guard let index = state.waits.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waits.remove(at: index)
        }
        wait?.continuation.resume(returning: .cancelled)
    }

    // MARK: The thread

    private func watch() {
        while true {
            let waits = state.withLock { $0.waits }
            var requests = [alarm.request] + waits.map { Self.request($0.socket, $0.interest) }
            _ = systemPoll(&requests, nfds_t(requests.count), timeout(waits))
            alarm.reset()
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
            // One that was cancelled meanwhile is gone from the list, and has its answer.
            let ended = state.withLock { state in
                let ended = state.waits.filter { outcomes[$0.id] != nil }
                state.waits.removeAll { outcomes[$0.id] != nil }
                return ended
            }
            for wait in ended {
                if let outcome = outcomes[wait.id] { wait.continuation.resume(returning: outcome) }
            }
        }
    }

    /// Milliseconds to the next deadline, rounded up; -1: for ever.
    private func timeout(_ waits: [Wait]) -> Int32 {
        let next = waits.lazy.compactMap(\.deadline).min().map { deadline in
            max(0, Int32(clamping: Int64((deadline - .now) / .milliseconds(1)) + 1))
        }
        return alarm.isWorking ? next ?? -1 : min(next ?? 10, 10)
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
        // A hang-up or an error is for whoever asks: the next call on the socket tells what it is.
        let isOver = found & ~(Int32(POLLIN) | Int32(POLLOUT)) != 0
        return .ready(readable: isOver || found & Int32(POLLIN) != 0, writable: isOver || found & Int32(POLLOUT) != 0)
    }
}

/// A pipe to oneself.
private final class Alarm: Sendable {
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

    func ring() {
        // A full pipe rings already.
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
