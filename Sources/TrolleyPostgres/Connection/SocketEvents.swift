internal import CEpoll
internal import Glibc

/// An epoll(7) instance. Any thread may register a socket; one thread waits for events, as long as the process lives.
final class SocketEvents: Sendable {
    private let descriptor: Int32
    /// Becomes readable to wake the thread.
    private let wakeUps: Int32

    /// The number of `wakeUps`; no wait has it.
    private static let none: UInt64 = 0
    private static let capacity = 64

    init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUps = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        // Made when the first connection opens. Without them nothing could ever be waited for.
        precondition(descriptor >= 0 && wakeUps >= 0, "no open files are left to wait for the database")
        _ = add(wakeUps, EPOLLIN.rawValue | EPOLLET.rawValue, Self.none)
    }

    /// Registers a socket for one event, which `next` returns under `number`. Replaces the socket's earlier registration.
    /// - Returns: false, if the socket can't be waited for.
    func expect(_ interest: Exchange.Interest, on socket: Int32, as number: UInt64) -> Bool {
        let flags = EPOLLONESHOT.rawValue | Self.flags(of: interest)
        var event = epoll_event(events: flags, data: epoll_data(u64: number))
        // The kernel forgets a descriptor that was closed.
        if epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event) == 0 { return true }
        return errno == ENOENT && add(socket, flags, number)
    }

    private func add(_ socket: Int32, _ flags: UInt32, _ number: UInt64) -> Bool {
        var event = epoll_event(events: flags, data: epoll_data(u64: number))
        return epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0
    }

    /// What a socket is ready for now; nil: nothing.
    static func now(_ interest: Exchange.Interest, on socket: Int32) -> Readiness.Outcome? {
        var request = pollfd(fd: socket, events: Int16(flags(of: interest)), revents: 0)
        return poll(&request, 1, 0) > 0 ? outcome(UInt32(UInt16(bitPattern: request.revents))) : nil
    }

    /// Linux has the same numbers for epoll(7) and poll(2).
    private static func flags(of interest: Exchange.Interest) -> UInt32 {
        switch interest {
        case .readable: EPOLLIN.rawValue
        case .writable: EPOLLOUT.rawValue
        case .either: EPOLLIN.rawValue | EPOLLOUT.rawValue
        }
    }

    /// Ends `next` at once.
    func wakeUp() { _ = eventfd_write(wakeUps, 1) }

    /// Waits for events, for `limit` at most; nil: without an end.
    func next(within limit: Duration?) -> [(number: UInt64, outcome: Readiness.Outcome)] {
        // Milliseconds, rounded up.
        let timeout = limit.map { max(0, Int32(clamping: Int64($0 / .milliseconds(1)) + 1)) } ?? -1
        return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.capacity) { events in
            let count = epoll_wait(descriptor, events.baseAddress, Int32(Self.capacity), timeout)
            return events.prefix(max(0, Int(count))).compactMap { event in
                event.data.u64 == Self.none ? nil : (event.data.u64, Self.outcome(event.events))
            }
        }
    }

    private static func outcome(_ flags: UInt32) -> Readiness.Outcome {
        // A hang-up or an error counts as ready: the next call on the socket returns the error.
        let isOver = flags & ~(EPOLLIN.rawValue | EPOLLOUT.rawValue) != 0
        return .ready(
            readable: isOver || flags & EPOLLIN.rawValue != 0, writable: isOver || flags & EPOLLOUT.rawValue != 0)
    }
}
