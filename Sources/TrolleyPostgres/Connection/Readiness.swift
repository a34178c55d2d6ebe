internal import Dispatch
internal import Synchronization

/// Waits for sockets. One thread sleeps in epoll_wait(2) for all waiting tasks.
///
/// Each wait registers its socket for one event, under the wait's own number. An event of an earlier wait, or of a closed
/// descriptor whose number was reused, has the number of no present wait and is dropped (`docs/decisions/0201`).
final class Readiness: Sendable {
    enum Outcome: Equatable, Sendable {
        case ready(readable: Bool, writable: Bool)
        case timedOut
        case cancelled
    }

    static let shared = Readiness()

    private struct Wait {
        let deadline: ContinuousClock.Instant?
        let promise: Promise<Outcome>
    }

    private struct State {
        /// By number.
        var waits: [UInt64: Wait] = [:]
        var lastNumber: UInt64 = 0
        /// When the thread wakes up by itself; nil: not at all.
        var nextWakeUp: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let sockets = SocketEvents()

    init() {
        DispatchQueue(label: "trolley.postgres.readiness").async { self.watch() }
    }

    /// The number of waits that have not ended.
    var waiting: Int { state.withLock(\.waits.count) }

    /// How long to let a large result accumulate: waking up for each piece costs more than reading it.
    private static let coalescingDelay = Duration.microseconds(500)

    /// Returns when the socket is ready, at `deadline`, or, if `cancellable`, when the task is cancelled.
    /// - Parameters:
    ///   - reads: how often this answer was read. If it was, more of it may be there already.
    ///   - coalescing: whether to wait a moment for a socket that isn't ready, so that more data arrives.
    func wait(
        for interest: Exchange.Interest, on socket: Int32, until deadline: ContinuousClock.Instant?, cancellable: Bool,
        after reads: Int = 0, coalescing: Bool = false
    ) async -> Outcome {
        if reads > 0, let ready = SocketEvents.now(interest, on: socket) { return ready }
        if coalescing { try? await Task.sleep(for: Self.coalescingDelay, tolerance: .zero) }
        let promise = Promise<Outcome>()
        let (number, isEarliest) = state.withLock { state in
            state.lastNumber += 1
            state.waits[state.lastNumber] = Wait(deadline: deadline, promise: promise)
            let isEarliest = deadline.map { deadline in state.nextWakeUp.map { deadline < $0 } ?? true } ?? false
            if isEarliest { state.nextWakeUp = deadline }
            return (state.lastNumber, isEarliest)
        }
        if !sockets.expect(interest, on: socket, as: number) {
            // The next call on the socket returns the error. If only the kernel's memory is short, the caller waits again.
            let isOver = deadline.map { $0 <= .now } ?? false
            let isCancelled = cancellable && Task.isCancelled
            end(number, isCancelled ? .cancelled : isOver ? .timedOut : .ready(readable: true, writable: true))
        }
        if isEarliest { sockets.wakeUp() }
        return cancellable ? await promise.value { self.end(number, .cancelled) } : await promise.value
    }

    private func end(_ number: UInt64, _ outcome: Outcome) {
        state.withLock { $0.waits.removeValue(forKey: number) }?.promise.fulfill(outcome)
    }

    // MARK: The thread

    private func watch() {
        while true {
            let next = state.withLock(\.nextWakeUp)
            for (number, outcome) in sockets.next(within: next.map { $0 - .now }) { end(number, outcome) }
            for promise in overdue() { promise.fulfill(.timedOut) }
        }
    }

    /// Removes the waits whose deadline has passed, if it is time to look for them.
    private func overdue() -> [Promise<Outcome>] {
        state.withLock { state in
            let now = ContinuousClock.now
            // A deadline stays when its wait has ended. So the next wait, whose deadline is later, needn't wake the thread.
            guard let next = state.nextWakeUp, next <= now else { return [] }
            let overdue = state.waits.filter { $1.deadline.map { $0 <= now } ?? false }
            for number in overdue.keys { state.waits[number] = nil }
            state.nextWakeUp = state.waits.values.lazy.compactMap(\.deadline).min()
            return overdue.values.map(\.promise)
        }
    }
}
