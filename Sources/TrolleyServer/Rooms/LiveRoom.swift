import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// A room, as one process sees it: its own sockets, and the devices in the room at other processes. A value.
struct LiveRoom {
    /// A device at another process.
    private struct Remote {
        var member: RoomMember
        /// The device is forgotten then, because its process may have died.
        var until: ContinuousClock.Instant
    }

    let address: RoomAddress
    /// The key that opened it. The room is over once the database has another one, or none.
    let handshakeKey: [UInt8]
    let end: ContinuousClock.Instant
    private(set) var sockets: [Socket] = []
    /// By process.
    private var remotes: [String: [DeviceID: Remote]] = [:]
    private var meter: MessageMeter

    /// - Parameter rate: messages per second that may be said.
    init(
        _ address: RoomAddress, handshakeKey: [UInt8], end: ContinuousClock.Instant, rate: Int,
        at now: ContinuousClock.Instant
    ) {
        meter = MessageMeter(perSecond: rate, at: now)
        self.address = address
        self.handshakeKey = handshakeKey
        self.end = end
    }

    var hasRemotes: Bool { !remotes.isEmpty }
    var count: Int { sockets.count + remotes.values.reduce(0) { $0 + $1.count } }

    /// All devices in the room but one, each once.
    func others(than device: DeviceID) -> [RoomMember] {
        var members: [DeviceID: RoomMember] = [:]
        for socket in sockets { members[socket.session.device] = socket.member }
        for remote in remotes.values { for (device, known) in remote { members[device] = known.member } }
        members[device] = nil
        return members.values.sorted { $0.device < $1.device }
    }

    func contains(_ device: DeviceID) -> Bool {
        sockets.contains { $0.session.device == device } || remotes.values.contains { $0[device] != nil }
    }

    /// - Returns: whether one more message may be said now.
    mutating func admitMessage(at now: ContinuousClock.Instant) -> Bool { meter.take(at: now) }

    mutating func add(_ socket: Socket) { sockets.append(socket) }

    /// - Returns: whether the socket was in the room.
    mutating func remove(_ socket: Socket) -> Bool {
        guard let index = sockets.firstIndex(where: { $0 === socket }) else { return false }
        sockets.remove(at: index)
        return true
    }

    /// - Parameter until: the device is forgotten then, unless its process repeats it.
    /// - Returns: whether the device is new in the room.
    mutating func note(_ member: RoomMember, at process: String, until: ContinuousClock.Instant) -> Bool {
        let isNew = !contains(member.device)
        remotes[process, default: [:]][member.device] = Remote(member: member, until: until)
        return isNew
    }

    /// - Returns: whether the device is no longer in the room at all.
    mutating func forget(_ device: DeviceID, at process: String) -> Bool {
        guard remotes[process]?.removeValue(forKey: device) != nil else { return false }
        if remotes[process]?.isEmpty == true { remotes[process] = nil }
        return !contains(device)
    }

    /// Forgets devices that their processes haven't repeated.
    /// - Returns: the devices that are no longer in the room.
    mutating func forgetSilent(at now: ContinuousClock.Instant) -> [DeviceID] {
        let silent = remotes.flatMap { process, known in
            known.filter { $0.value.until <= now }.map { (process, $0.key) }
        }
        return silent.compactMap { process, device in forget(device, at: process) ? device : nil }
    }
}

extension Socket {
    var member: RoomMember { RoomMember(account: session.account, device: session.device) }
}
