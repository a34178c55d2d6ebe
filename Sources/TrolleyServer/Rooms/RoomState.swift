import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The sockets and rooms of this process. A value: it decides, ``RoomHub`` acts.
struct RoomState {
    /// The sockets and the other processes to which an event goes.
    struct Delivery {
        var sockets: [Socket] = []
        var signals: [RoomSignal] = []
        /// Messages that go nowhere, because too much is said in their room.
        var dropped = 0
    }

    private var sockets: Set<ObjectIdentifier> = []
    private var byDevice: [DeviceID: [Socket]] = [:]
    private var byAccount: [AccountID: Int] = [:]
    private var byAddress: [IPAddress: Int] = [:]
    private(set) var rooms: [RoomAddress: LiveRoom] = [:]
    /// The rooms that each socket is in.
    private var places: [ObjectIdentifier: [RoomAddress]] = [:]
    /// How long a device at another process is known without being repeated.
    private let remoteLifetime: Duration

    init(remoteLifetime: Duration) { self.remoteLifetime = remoteLifetime }

    var socketCount: Int { sockets.count }
    var allSockets: [Socket] { byDevice.values.flatMap(\.self) }

    // MARK: Sockets

    /// - Returns: the device's older sockets, which must be closed; nil when the account or the address has too many.
    mutating func open(_ socket: Socket) -> [Socket]? {
        let (session, limits) = (socket.session, socket.limits)
        let own = (byDevice[session.device] ?? []).sorted { $0.opened < $1.opened }
        let replaced = own.prefix(max(0, own.count - limits.socketsPerDevice + 1))
        guard (byAccount[session.account] ?? 0) - replaced.count < limits.socketsPerAccount else { return nil }
        if let address = socket.address, byAddress[address, default: 0] >= limits.socketsPerAddress { return nil }
        sockets.insert(ObjectIdentifier(socket))
        byDevice[session.device, default: []].append(socket)
        byAccount[session.account, default: 0] += 1
        if let address = socket.address { byAddress[address, default: 0] += 1 }
        return Array(replaced)
    }

    /// - Returns: the rooms that it was in.
    mutating func close(_ socket: Socket) -> [RoomAddress] {
        guard sockets.remove(ObjectIdentifier(socket)) != nil else { return [] }
        let session = socket.session
        byDevice[session.device]?.removeAll { $0 === socket }
        if byDevice[session.device]?.isEmpty == true { byDevice[session.device] = nil }
        Self.decrement(&byAccount, session.account)
        if let address = socket.address { Self.decrement(&byAddress, address) }
        return places[ObjectIdentifier(socket)] ?? []
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    func isOpen(_ socket: Socket) -> Bool { sockets.contains(ObjectIdentifier(socket)) }

    // MARK: Rooms

    /// Whether the room has a place for one more socket.
    func hasPlace(in room: RoomAddress, for socket: Socket) -> Bool {
        (rooms[room]?.count ?? 0) < socket.limits.socketsPerRoom
            && places[ObjectIdentifier(socket)]?.count ?? 0 < socket.limits.roomsPerSocket
    }

    func rooms(of socket: Socket) -> [RoomAddress] { places[ObjectIdentifier(socket)] ?? [] }

    /// What came of joining a room.
    enum Entry {
        /// - Parameter others: those in the room already.
        case entered(others: [RoomMember], Delivery)
        /// The socket was in the room.
        case already(others: [RoomMember])
        case refused(detail: String)
        /// The socket has closed.
        case closed
    }

    mutating func join(_ socket: Socket, _ pass: RoomPass, at now: ContinuousClock.Instant) -> Entry {
        guard isOpen(socket) else { return .closed }
        var room =
            rooms[pass.room]
            ?? LiveRoom(
                pass.room, handshakeKey: pass.handshakeKey, end: now + .milliseconds(pass.remaining),
                rate: socket.limits.messagesPerSecondByRoom, at: now)
        // Its people have not been told yet that it is over.
        guard room.handshakeKey == pass.handshakeKey else { return .refused(detail: "a room of this id is ending") }
        let others = room.others(than: socket.session.device)
        guard !rooms(of: socket).contains(pass.room) else { return .already(others: others) }
        guard hasPlace(in: pass.room, for: socket) else { return .refused(detail: "the room is full") }
        let isNew = !room.contains(socket.session.device)
        let delivery = Delivery(
            sockets: isNew ? room.sockets : [], signals: [.entered(pass.room, socket.member)])
        room.add(socket)
        rooms[pass.room] = room
        places[ObjectIdentifier(socket), default: []].append(pass.room)
        return .entered(others: others, delivery)
    }

    /// - Returns: who must be told; nil when the socket was not in the room.
    mutating func leave(_ socket: Socket, _ id: RoomAddress) -> Delivery? {
        guard var room = rooms[id], room.remove(socket) else { return nil }
        places[ObjectIdentifier(socket)]?.removeAll { $0 == id }
        if places[ObjectIdentifier(socket)]?.isEmpty == true { places[ObjectIdentifier(socket)] = nil }
        rooms[id] = room.sockets.isEmpty ? nil : room
        let device = socket.session.device
        let isHereStill = room.sockets.contains { $0.session.device == device }
        return Delivery(
            sockets: room.contains(device) ? [] : room.sockets,
            signals: isHereStill ? [] : [.left(id, device)])
    }

    /// - Returns: who must hear it; nil when the sender is not in the room.
    mutating func say(
        _ body: String, in id: RoomAddress, by socket: Socket, at now: ContinuousClock.Instant
    ) -> Delivery? {
        guard let room = rooms[id], room.sockets.contains(where: { $0 === socket }) else { return nil }
        guard rooms[id]?.admitMessage(at: now) == true else { return Delivery(dropped: 1) }
        return Delivery(
            sockets: room.sockets.filter { $0 !== socket },
            signals: room.hasRemotes ? [.said(id, socket.member, body: body)] : [])
    }

    /// What this process tells others of its sockets, again and again.
    var presentSignals: [RoomSignal] {
        rooms.values.flatMap { room in room.sockets.map { .present(room.address, $0.member) } }
    }

    /// What this process tells others once it hears them. Earlier signals of theirs were lost, so it asks in each room.
    var askingSignals: [RoomSignal] {
        rooms.values.flatMap { room in
            room.sockets.enumerated().map { index, socket in
                index == 0 ? .entered(room.address, socket.member) : .present(room.address, socket.member)
            }
        }
    }

    /// What another process tells. Rooms without a socket here don't matter.
    /// - Returns: the sockets to tell, and the answer.
    mutating func received(
        _ signal: RoomSignal, from process: String, at now: ContinuousClock.Instant
    ) -> Delivery {
        switch signal {
        case .said(let id, _, _):
            guard let isAdmitted = rooms[id]?.admitMessage(at: now) else { return Delivery() }
            return isAdmitted ? Delivery(sockets: rooms[id]?.sockets ?? []) : Delivery(dropped: 1)
        case .entered(let id, let member), .present(let id, let member):
            guard let isNew = rooms[id]?.note(member, at: process, until: now + remoteLifetime) else {
                return Delivery()
            }
            let sockets = rooms[id]?.sockets ?? []
            let asks = if case .entered = signal { true } else { false }
            // A process that asks has missed what devices here said, so they are told, and say it again.
            return Delivery(
                sockets: isNew || asks ? sockets : [], signals: asks ? sockets.map { .present(id, $0.member) } : [])
        case .left(let id, let device):
            guard rooms[id]?.forget(device, at: process) == true else { return Delivery() }
            return Delivery(sockets: rooms[id]?.sockets ?? [])
        case .hailed: return Delivery()
        }
    }

    /// Forgets devices of processes that have fallen silent.
    /// - Returns: for each such device, whom to tell.
    mutating func forgetSilent(at now: ContinuousClock.Instant) -> [(RoomAddress, DeviceID, [Socket])] {
        var gone: [(RoomAddress, DeviceID, [Socket])] = []
        for id in rooms.keys {
            for device in rooms[id]?.forgetSilent(at: now) ?? [] { gone.append((id, device, rooms[id]?.sockets ?? [])) }
        }
        return gone
    }
}
