import NIOCore
import Synchronization
import TrolleyStore
import TrolleyWire

/// A device's WebSocket, as the rest of the service sees it.
final class Socket: Sendable {
    let session: Session
    /// The client's address, as limits count it; nil for a Unix socket.
    let address: IPAddress?
    /// Whether it was opened for one room, so that it ends with it.
    let isForOneRoom: Bool
    let limits: RoomLimits
    let frames: FrameBudget
    let opened = ContinuousClock.now
    private let loop: any EventLoop
    private let handler: NIOLoopBoundBox<SocketHandler?>
    private let earlyClose: NIOLoopBoundBox<UInt16?>
    /// What waits for the task of this socket; nil while there is no task.
    private let waiting = Mutex<[@Sendable () async -> Void]?>(nil)
    private let events: @Sendable (Socket, Event) -> Void

    /// What happens on a socket. Called on its event loop.
    enum Event: Sendable {
        case opened
        case message(ByteBuffer)
        /// A live message was dropped, because the client doesn't read.
        case dropped
        case closed
    }

    init(
        _ session: Session, address: IPAddress?, isForOneRoom: Bool, limits: RoomLimits, frames: FrameBudget,
        on channel: any Channel, events: @escaping @Sendable (Socket, Event) -> Void
    ) {
        self.session = session
        self.address = address
        self.isForOneRoom = isForOneRoom
        self.limits = limits
        self.frames = frames
        self.events = events
        loop = channel.eventLoop
        handler = .makeEmptyBox(eventLoop: channel.eventLoop)
        earlyClose = .makeEmptyBox(eventLoop: channel.eventLoop)
    }

    /// Call this on the event loop.
    func attach(_ handler: SocketHandler?) { self.handler.value = handler }

    /// The code with which the socket was closed before it had a handler; nil: it wasn't. Call this on the event loop.
    var earlyCloseCode: UInt16? { earlyClose.value }

    /// Call this on the event loop.
    func happened(_ event: Event) {
        if case .closed = event { waiting.withLock { $0?.removeAll() } }
        events(self, event)
    }

    /// Does work in a task after all earlier work of this socket, so that a client can't make more than one task wait for the
    /// database.
    /// - Returns: false when as much waits as the socket may have rooms.
    func perform(_ work: @escaping @Sendable () async -> Void) -> Bool {
        let (isAccepted, isFirst) = waiting.withLock { waiting in
            guard let count = waiting?.count else {
                waiting = []
                return (true, true)
            }
            guard count < limits.roomsPerSocket else { return (false, false) }
            waiting?.append(work)
            return (true, false)
        }
        if isFirst {
            Task {
                await work()
                while let next = nextWork() { await next() }
            }
        }
        return isAccepted
    }

    private func nextWork() -> (@Sendable () async -> Void)? {
        waiting.withLock { waiting in
            guard waiting?.isEmpty == false else {
                waiting = nil
                return nil
            }
            return waiting?.removeFirst()
        }
    }

    func send(_ event: SocketEvent) { send(ByteBuffer(bytes: event.json)) }

    /// Sends a message that is JSON already, so that many sockets share its bytes.
    /// - Parameter isLive: the message is dropped when the client doesn't read.
    func send(_ message: ByteBuffer, isLive: Bool = false) {
        onLoop { $0.send(message, isLive: isLive) }
    }

    /// Tells the client that it may have missed something, as soon as it reads.
    func tellMissed() { onLoop { $0.tellMissed() } }

    /// Closes with a code, after what was sent before. A socket that hasn't begun closes as soon as it begins.
    func close(_ code: UInt16) {
        if loop.inEventLoop { closeOnLoop(code) } else { loop.execute { self.closeOnLoop(code) } }
    }

    private func closeOnLoop(_ code: UInt16) {
        if let handler = handler.value {
            handler.close(code)
        } else if earlyClose.value == nil {
            earlyClose.value = code
        }
    }

    /// Pings the client, or closes the connection if nothing has come from it for three of these intervals.
    func tick(every interval: Duration) { onLoop { $0.tick(every: interval) } }

    /// Sends hints from now on. Ends them when the socket has closed already.
    func listen(to hints: SocketHints) {
        loop.execute {
            if let handler = self.handler.value { handler.listen(to: hints) } else { hints.end() }
        }
    }

    /// Runs `body` on the event loop; at once if it is the present one.
    func onLoop(_ body: @escaping @Sendable (SocketHandler) -> Void) {
        if loop.inEventLoop {
            if let handler = handler.value { body(handler) }
        } else {
            loop.execute { if let handler = self.handler.value { body(handler) } }
        }
    }
}
