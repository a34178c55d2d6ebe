internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Waits for a socket, for one task at a time. The only file that knows Dispatch.
///
/// It watches a duplicate of the descriptor that it closes itself, after its sources have let go of it. So libpq may
/// close its own descriptor at any moment, as it does while it tries one address after another.
final class Readiness: Sendable {
    enum Outcome: Equatable, Sendable {
        case ready(readable: Bool, writable: Bool)
        case timedOut
        case cancelled
    }

    private struct State {
        var waiter: Waiter?
        var lastWait = 0
        /// A wait that was cancelled before it had registered.
        var cancelledWait = 0
        var readArmed = false
        var writeArmed = false
        /// When the timer goes off next. It isn't moved for each wait, only when a wait ends sooner.
        var timerFires: ContinuousClock.Instant?
    }

    private struct Waiter {
        let id: Int
        let interest: Exchange.Interest
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private static let queue = DispatchQueue(label: "trolley.postgres.readiness")

    private let state = Mutex(State())
    // Any thread may use a Dispatch source; its module only doesn't say so.
    private nonisolated(unsafe) let reading: any DispatchSourceRead
    private nonisolated(unsafe) let writing: any DispatchSourceWrite
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Nil when no descriptor is left.
    init?(watching socket: Int32) {
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        let shared = SharedDescriptor(descriptor)
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
        timer = DispatchSource.makeTimerSource(queue: Self.queue)
        // Each cancel handler holds the descriptor open until Dispatch has run it.
        reading.setCancelHandler { withExtendedLifetime(shared) {} }
        writing.setCancelHandler { withExtendedLifetime(shared) {} }
        reading.setEventHandler { [weak self] in self?.becameReady(readable: true) }
        writing.setEventHandler { [weak self] in self?.becameReady(readable: false) }
        timer.setEventHandler { [weak self] in self?.timerFired() }
        timer.resume()
    }

    deinit {
        let (readArmed, writeArmed) = state.withLock { ($0.readArmed, $0.writeArmed) }
        reading.cancel()
        writing.cancel()
        timer.cancel()
        // A suspended source never runs its cancel handler, and may not be released.
        if !readArmed { reading.resume() }
        if !writeArmed { writing.resume() }
    }

    /// Returns when the socket is ready, or at `deadline`, or when the task is cancelled, if `cancellable`.
    func wait(
        for interest: Exchange.Interest, until deadline: ContinuousClock.Instant?, cancellable: Bool
    ) async -> Outcome {
        let id = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        guard cancellable else { return await suspend(id, for: interest, until: deadline) }
        return await withTaskCancellationHandler {
            await suspend(id, for: interest, until: deadline)
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let waiter = state.waiter, waiter.id == id else {
                    state.cancelledWait = max(state.cancelledWait, id)
                    return nil
                }
                state.waiter = nil
                return waiter
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
    }

    private func suspend(
        _ id: Int, for interest: Exchange.Interest, until deadline: ContinuousClock.Instant?
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            let isCancelled = state.withLock { state in
                if state.cancelledWait >= id { return true }
                state.waiter = Waiter(id: id, interest: interest, deadline: deadline, continuation: continuation)
                arm(&state, for: interest)
                if let deadline, state.timerFires.map({ deadline < $0 }) ?? true { setTimer(&state, to: deadline) }
                return false
            }
            if isCancelled { continuation.resume(returning: .cancelled) }
        }
    }

    private func arm(_ state: inout State, for interest: Exchange.Interest) {
        if interest != .writable, !state.readArmed {
            state.readArmed = true
            reading.resume()
        }
        if interest != .readable, !state.writeArmed {
            state.writeArmed = true
            writing.resume()
        }
    }

    /// One event an arming: a source that nobody waits for would fire without end.
    private func becameReady(readable: Bool) {
        let waiter: Waiter? = state.withLock { state in
            if readable {
                reading.suspend()
                state.readArmed = false
            } else {
                writing.suspend()
                state.writeArmed = false
            }
            guard let waiter = state.waiter, waiter.interest != (readable ? .writable : .readable) else { return nil }
            state.waiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: .ready(readable: readable, writable: !readable))
    }

    private func setTimer(_ state: inout State, to deadline: ContinuousClock.Instant) {
        state.timerFires = deadline
        let (seconds, attoseconds) = (deadline - .now).components
        // A day is more than any wait, and keeps the sum from overflowing.
        let nanoseconds = Int(min(max(seconds, 0), 86_400)) * 1_000_000_000 + Int(max(attoseconds, 0) / 1_000_000_000)
        timer.schedule(deadline: .now() + .nanoseconds(nanoseconds))
    }

    private func timerFired() {
        let waiter: Waiter? = state.withLock { state in
            state.timerFires = nil
            guard let waiter = state.waiter, let deadline = waiter.deadline else { return nil }
            if deadline > .now {
                setTimer(&state, to: deadline)
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: .timedOut)
    }
}

extension Readiness {
    /// Runs a call that blocks on a thread outside the cooperative pool. Nil when it took longer than `limit`; it goes
    /// on by itself then.
    static func offPool<R: Sendable>(
        atMost limit: Duration, _ body: @escaping @Sendable () -> R
    ) async -> R? {
        await withCheckedContinuation { (continuation: CheckedContinuation<R?, Never>) in
            let once = Once(continuation)
            let deadline = DispatchTime.now() + .milliseconds(Int(limit / .milliseconds(1)))
            // The timer is dropped with its work item, at the latest when it is due.
            let timeOut = DispatchWorkItem { once.resume(returning: nil) }
            queue.asyncAfter(deadline: deadline, execute: timeOut)
            DispatchQueue.global().async {
                once.resume(returning: body())
            }
        }
    }
}

/// A continuation that several may resume; the first one does.
private final class Once<R: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<R?, Never>?>

    init(_ continuation: CheckedContinuation<R?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(returning value: R?) {
        let continuation = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: value)
    }
}

/// Closes its descriptor when nobody holds it any more.
private final class SharedDescriptor: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
