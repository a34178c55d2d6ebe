import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The sockets and rooms of this process. A value: it decides, ``RoomHub`` acts.
struct RoomState {
    /// The sockets and the other processes to which an event goes.
    struct Delivery {
        var sockets: [Socket] = []
        var signals: [RoomSignal] = []
    }

    private var sockets: Set<ObjectIdentifier> = []
    private var byDevice: [DeviceID: [Socket]] = [:]
    private var byAccount: [AccountID: Int] = [:]
    private var byAddress: [IPAddress: Int] = [:]
    private(set) var rooms: [RoomID: LiveRoom] = [:]
    /// The rooms that each socket is in.
    private var places: [ObjectIdentifier: [RoomID]] = [:]
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
    mutating func close(_ socket: Socket) -> [RoomID] {
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
    func hasPlace(in room: RoomID, for socket: Socket) -> Bool {
        (rooms[room]?.count ?? 0) < socket.limits.socketsPerRoom
            && places[ObjectIdentifier(socket)]?.count ?? 0 < socket.limits.roomsPerSocket
    }

    func rooms(of socket: Socket) -> [RoomID] { places[ObjectIdentifier(socket)] ?? [] }

    /// - Returns: the others in the room, and who must be told of the newcomer; nil when it was in the room already.
    mutating func join(
        _ socket: Socket, _ pass: RoomPass, at now: ContinuousClock.Instant
    ) -> (others: [RoomMember], Delivery)? {
        guard !rooms(of: socket).contains(pass.room) else { return nil }
        var room =
            rooms[pass.room]
            ?? LiveRoom(id: pass.room, list: pass.list, end: now + .milliseconds(pass.remaining))
        let others = room.others(than: socket.session.device)
        let isNew = !room.contains(socket.session.device)
        let delivery = Delivery(
            sockets: isNew ? room.sockets : [], signals: [.entered(pass.room, socket.member)])
        room.add(socket)
        rooms[pass.room] = room
        places[ObjectIdentifier(socket), default: []].append(pass.room)
        return (others, delivery)
    }

    /// - Returns: who must be told; nil when the socket was not in the room.
    mutating func leave(_ socket: Socket, _ id: RoomID) -> Delivery? {
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
    func say(_ body: String, in id: RoomID, by socket: Socket) -> Delivery? {
        guard let room = rooms[id], room.sockets.contains(where: { $0 === socket }) else { return nil }
        return Delivery(
            sockets: room.sockets.filter { $0 !== socket },
            signals: room.hasRemotes ? [.said(id, socket.member, body: body)] : [])
    }

    /// What this process tells others of its sockets, again and again.
    var presentSignals: [RoomSignal] {
        rooms.values.flatMap { room in room.sockets.map { .present(room.id, $0.member) } }
    }

    /// What this process tells others once it hears them. Earlier signals of theirs were lost, so it asks in each room.
    var askingSignals: [RoomSignal] {
        rooms.values.flatMap { room in
            room.sockets.enumerated().map { index, socket in
                index == 0 ? .entered(room.id, socket.member) : .present(room.id, socket.member)
            }
        }
    }

    /// What another process tells. Rooms without a socket here don't matter.
    /// - Returns: the sockets to tell, and the answer.
    mutating func received(
        _ signal: RoomSignal, from process: String, at now: ContinuousClock.Instant
    ) -> Delivery {
        switch signal {
        case .said(let id, _, _): return Delivery(sockets: rooms[id]?.sockets ?? [])
        case .entered(let id, let member), .present(let id, let member):
            guard let isNew = rooms[id]?.note(member, at: process, until: now + remoteLifetime) else {
                return Delivery()
            }
            let sockets = rooms[id]?.sockets ?? []
            let asks = if case .entered = signal { true } else { false }
            return Delivery(
                sockets: isNew ? sockets : [], signals: asks ? sockets.map { .present(id, $0.member) } : [])
        case .left(let id, let device):
            guard rooms[id]?.forget(device, at: process) == true else { return Delivery() }
            return Delivery(sockets: rooms[id]?.sockets ?? [])
        case .hailed: return Delivery()
        }
    }

    /// Forgets devices of processes that have fallen silent.
    /// - Returns: for each such device, whom to tell.
    mutating func forgetSilent(at now: ContinuousClock.Instant) -> [(RoomID, DeviceID, [Socket])] {
        var gone: [(RoomID, DeviceID, [Socket])] = []
        for id in rooms.keys {
            for device in rooms[id]?.forgetSilent(at: now) ?? [] { gone.append((id, device, rooms[id]?.sockets ?? [])) }
        }
        return gone
    }
}
