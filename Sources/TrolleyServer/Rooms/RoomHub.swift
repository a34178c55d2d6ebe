import Logging
import NIOCore
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The rooms of this process: lets sockets in and out, and passes on what they say. It stores nothing, and reads no body.
final class RoomHub: Sendable {
    let store: Store
    let gate: RoomGate
    let relay: RoomRelay
    let events: EventHub
    let limits: RoomLimits
    let limiter: RateLimiter
    private let frames: FrameBudget
    private let hails: Mutex<TokenBuckets<AccountID>>
    let metrics: ServiceMetrics
    let logger: Logger
    let pingInterval: Duration
    let presenceInterval: Duration
    let uncheckedLimit: Duration
    let state: Mutex<RoomState>
    /// When the people of all rooms were last compared with the database.
    let checkedAt = Mutex(ContinuousClock.now)
    /// When the latest comparison began, however it ends.
    let checkBeganAt = Mutex(ContinuousClock.now)

    /// - Parameters:
    ///   - pingInterval: how often silent sockets are pinged. After three of them without an answer they end.
    ///   - presenceInterval: how often other processes are told who is in the rooms. After three of them without a
    ///     signal they forget a device.
    ///   - uncheckedLimit: how long people stay in rooms while the database can't say whether they are still on the list.
    init(
        store: Store, events: EventHub, limits: RoomLimits, limiter: RateLimiter, pingInterval: Duration,
        presenceInterval: Duration, uncheckedLimit: Duration, metrics: ServiceMetrics, logger: Logger
    ) {
        self.store = store
        self.events = events
        self.limits = limits
        self.limiter = limiter
        frames = FrameBudget(limits)
        hails = Mutex(TokenBuckets(limits.hailsPerMinuteByAccount, per: .seconds(60)))
        self.pingInterval = pingInterval
        self.presenceInterval = presenceInterval
        self.uncheckedLimit = uncheckedLimit
        state = Mutex(RoomState(remoteLifetime: presenceInterval * 3))
        self.metrics = metrics
        self.logger = logger
        gate = RoomGate(store: store)
        relay = RoomRelay(store: store, metrics: metrics, logger: logger)
    }

    /// The number of open sockets.
    var sockets: Int { state.withLock { $0.socketCount } }
    /// The number of rooms with a socket here.
    var rooms: Int { state.withLock { $0.rooms.count } }

    // MARK: Sockets

    /// Registers a socket before its connection is upgraded.
    /// - Parameter pass: the room that it enters at once.
    /// - Throws: `Problem`: `requestRateLimited` when the account or the address has too many sockets, or the room is
    ///   full.
    func open(
        for session: Session, from address: IPAddress?, on channel: any Channel, entering pass: RoomPass?
    ) throws(Problem) -> Socket {
        let socket = Socket(
            session, address: address?.counted, isForOneRoom: pass != nil, limits: limits, frames: frames, on: channel
        ) { [weak self] socket, event in self?.happened(event, on: socket, entering: pass) }
        let replaced = state.withLock { state -> [Socket]? in
            if let pass, !state.hasPlace(in: pass.room, for: socket) { return nil }
            return state.open(socket)
        }
        guard let replaced else { throw limiter.refusal(.sockets, wait: .seconds(60)) }
        for each in replaced { each.close(SocketCloseCode.replaced) }
        return socket
    }

    /// Forgets a socket. Safe to repeat.
    func close(_ socket: Socket) {
        let deliveries = state.withLock { state in
            state.close(socket).compactMap { room in state.leave(socket, room).map { (room, $0) } }
        }
        for (room, delivery) in deliveries { deliver(.left(room, socket.session.device), delivery) }
    }

    private func happened(_ event: Socket.Event, on socket: Socket, entering pass: RoomPass?) {
        switch event {
        case .opened: if let pass { enter(socket, pass) }
        case .message(let message): received(message, from: socket)
        case .dropped: metrics.count(.roomMessagesDropped, [("at", "socket")])
        case .closed: close(socket)
        }
    }

    // MARK: Rooms

    /// Lets a socket in.
    func enter(_ socket: Socket, _ pass: RoomPass) {
        switch state.withLock({ $0.join(socket, pass, at: .now) }) {
        case .entered(let others, let delivery):
            socket.send(.joined(pass.room, remaining: pass.remaining, others: others))
            deliver(.entered(pass.room, socket.member), delivery)
        case .already(let others): socket.send(.joined(pass.room, remaining: pass.remaining, others: others))
        case .refused(let detail):
            socket.send(.refused(pass.room, .requestRateLimited, detail: detail))
            if socket.isForOneRoom, state.withLock({ $0.rooms(of: socket).isEmpty }) { socket.close(1013) }
        case .closed: return
        }
        // A comparison since then has not seen this socket in the room, and its reason may be that this person was removed.
        if checkBeganAt.withLock(\.self) >= pass.asked { events.requestAccessCheck() }
    }

    /// Puts a socket out of a room. A socket that was opened for one room closes.
    func putOut(_ socket: Socket, of room: RoomAddress, _ reason: RoomClosure) {
        guard let delivery = state.withLock({ $0.leave(socket, room) }) else { return }
        socket.send(.closed(room, reason))
        deliver(.left(room, socket.session.device), delivery)
        guard socket.isForOneRoom, state.withLock({ $0.rooms(of: socket).isEmpty }) else { return }
        switch reason {
        case .left: socket.close(MessageAssembler.Code.normal)
        case .removed: socket.close(SocketCloseCode.removed)
        case .expired: socket.close(SocketCloseCode.expired)
        case .unavailable: socket.close(1013)
        }
    }

    /// Sends an event to sockets here, and signals to other processes.
    func deliver(_ event: SocketEvent, _ delivery: RoomState.Delivery) {
        if delivery.dropped > 0 { metrics.count(.roomMessagesDropped, by: delivery.dropped, [("at", "budget")]) }
        relay.send(delivery.signals)
        guard !delivery.sockets.isEmpty else { return }
        let message = ByteBuffer(bytes: event.json)
        let isLive = if case .said = event { true } else { false }
        for socket in delivery.sockets { socket.send(message, isLive: isLive) }
    }

    /// Counts hails before they are sent.
    /// - Throws: `Problem`: `requestRateLimited`.
    func admitHails(_ count: Int, by session: Session) throws(Problem) {
        // A request that only makes a room counts as well.
        let admission = hails.withLock { $0.take(session.account, count: max(1, count), at: limiter.clock()) }
        if case .refused(let wait) = admission { throw limiter.refusal(.hails, wait: wait) }
    }

    /// Devices were hailed: tells them, wherever their hints are read.
    func hailed(_ devices: [DeviceID], on list: ListID) {
        events.hailed(Set(devices), on: list)
        relay.send(devices.map { .hailed(list, $0) })
    }
}
