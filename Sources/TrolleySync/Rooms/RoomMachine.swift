public import TrolleyJournal
public import TrolleyWire

/// Decides about a device's room on one list: when to make, enter and leave it, and what of it is shown. A value without
/// clock, socket or randomness. Times are by the service's clock.
///
/// A room is opportunistic. Whatever fails, the device goes on with the journal, and tries again when presence is
/// reported next.
public struct RoomMachine: Sendable {
    /// Whether the device is in a room.
    public enum Phase: Hashable, Sendable {
        case idle
        /// The socket is being opened.
        case connecting(RoomID)
        /// The socket is open.
        case live(RoomID)

        public var room: RoomID? {
            switch self {
            case .idle: nil
            case .connecting(let room), .live(let room): room
            }
        }
    }

    public let me: RoomMember
    public private(set) var phase = Phase.idle
    /// What the others do; empty unless the phase is live.
    public private(set) var view = RoomView()
    /// The room that the device is in, or was in before its socket closed.
    private var credentials: RoomCredentials?
    private var present: [PresentDevice] = []
    /// Whether a room was asked for and isn't made yet.
    private var isMaking = false
    private var isStopped = false
    /// With which key each device was hailed last, and when.
    private var hailed: [DeviceID: (key: String, at: Timestamp)] = [:]
    private var own = OwnActivity()
    /// The entries that waited when the journal was last reported, and were told as tentative.
    var told: Set<EntryID> = []

    /// What this device has told, or would tell, the others.
    private struct OwnActivity {
        var item: ItemID?
        var lookedAt: Timestamp?
        var typedAt: Timestamp?
        var changes: [(change: TentativeChange, until: Timestamp)] = []
    }

    /// Milliseconds after which a device that hasn't come is hailed again.
    public static let hailInterval: Int64 = 30_000

    public init(me: RoomMember) { self.me = me }

    // MARK: Presence

    /// The device that makes rooms: of all present ones the first that opened the list; of several the one with the
    /// smallest id. All devices choose alike, and a newcomer never makes a second room.
    public static func initiator(among devices: [PresentDevice]) -> DeviceID? {
        devices.min { ($0.since, $0.device.bits) < ($1.since, $1.device.bits) }?.device
    }

    /// The service has told which devices have the list open.
    public mutating func presence(_ devices: [PresentDevice], at now: Timestamp) -> [RoomAction] {
        guard !isStopped else { return [] }
        present = devices
        forgetExpiredRoom(at: now)
        guard devices.contains(where: { $0.account != me.account }) else { return leave() }
        let isInitiator = Self.initiator(among: devices) == me.device
        guard phase == .idle else { return isInitiator ? hailMissing(at: now) : [] }
        // The socket was lost; the room may still be there.
        if let credentials {
            phase = .connecting(credentials.room)
            return [.connect(credentials)] + (isInitiator ? hailMissing(at: now) : [])
        }
        guard isInitiator, !isMaking else { return [] }
        isMaking = true
        return [.makeRoom(hailing: Self.hailable(others))]
    }

    private var others: [PresentDevice] { present.filter { $0.device != me.device } }

    private mutating func hailMissing(at now: Timestamp) -> [RoomAction] {
        guard let credentials else { return [] }
        let missing = others.filter { device in
            if view.members[device.device] != nil { return false }
            // With another key it has opened the list again, and can't open the earlier hail.
            guard let last = hailed[device.device], last.key.hasSameBytes(as: device.hailKey) else { return true }
            return now >= last.at.advanced(byMilliseconds: Self.hailInterval)
        }
        guard !missing.isEmpty else { return [] }
        let hailing = Self.hailable(missing)
        for device in hailing { hailed[device.device] = (device.hailKey, now) }
        return [.hail(credentials, hailing)]
    }

    /// As many devices as one request hails. The next report of presence hails the others.
    private static func hailable(_ devices: [PresentDevice]) -> [PresentDevice] {
        Array(devices.prefix(HailsRequest.maximumHails))
    }

    private mutating func forgetExpiredRoom(at now: Timestamp) {
        if phase == .idle, let known = credentials, known.expiresAt <= now { credentials = nil }
    }

    // MARK: Making and entering

    /// The room was made.
    public mutating func made(
        _ made: RoomCredentials, hailing devices: [PresentDevice], at now: Timestamp
    ) -> [RoomAction] {
        isMaking = false
        // The session may have ended while the room was being made, for nobody.
        guard phase == .idle, !isStopped else { return [] }
        credentials = made
        hailed = [:]
        for device in devices { hailed[device.device] = (device.hailKey, now) }
        phase = .connecting(made.room)
        return [.connect(made)]
    }

    /// The room could not be made. The next report of presence tries again.
    public mutating func makingFailed() { isMaking = false }

    /// A hail to this device has arrived. It is used once, and deleted in any case.
    /// - Parameter sender: as the service names it.
    public mutating func hailed(
        _ id: HailID, _ hail: RoomCredentials, from sender: RoomMember, at now: Timestamp
    ) -> [RoomAction] {
        let delete = RoomAction.deleteHail(id)
        guard hail.expiresAt > now, phase.room != hail.room, !isStopped else { return [delete] }
        if phase != .idle {
            // Two rooms were made at the same time. All go to the initiator's.
            guard Self.initiator(among: present) == sender.device else { return [delete] }
        }
        let left = leave()
        credentials = hail
        phase = .connecting(hail.room)
        return [delete] + left + [.connect(hail)]
    }

    /// A hail that can't be opened is deleted, too.
    public func unreadableHail(_ id: HailID) -> [RoomAction] { [.deleteHail(id)] }

    /// The socket is open, and the service has let the device in.
    public mutating func opened(
        _ room: RoomID, others: [RoomMember], at now: Timestamp
    ) -> [RoomAction] {
        guard phase == .connecting(room) else { return phase.room == room ? [] : [.disconnect(room)] }
        phase = .live(room)
        for member in others where member.device != me.device { view.members[member.device] = member.account }
        return [.send(.looking(own.item))] + pending(at: now)
    }

    /// The socket has closed, or could not be opened. What was transient is no longer shown.
    /// - Parameter isRefused: the service has refused the room: it is over.
    public mutating func closed(_ room: RoomID, isRefused: Bool) {
        guard phase.room == room else { return }
        phase = .idle
        view = RoomView()
        if isRefused { credentials = nil }
    }

    /// The service has refused a message about a room, on a socket that stays open.
    public mutating func refused(_ room: RoomID, _ code: ProblemCode) {
        switch phase {
        case .connecting(room):
            let isTemporary = [.requestRateLimited, .serviceUnavailable, .zoneBusy, .internalError].contains(code)
            closed(room, isRefused: !isTemporary)
        case .live(room) where code == .unknownItem: closed(room, isRefused: true)
        default: break
        }
    }

    private mutating func leave() -> [RoomAction] {
        guard let room = phase.room else { return [] }
        phase = .idle
        credentials = nil
        view = RoomView()
        return [.disconnect(room)]
    }

    /// The list was closed on this device. Whatever is told afterwards opens no room.
    public mutating func stop() -> [RoomAction] {
        isStopped = true
        present = []
        own = OwnActivity()
        return leave()
    }

    // MARK: The others

    public mutating func entered(_ member: RoomMember, at now: Timestamp) -> [RoomAction] {
        guard case .live = phase, member.device != me.device else { return [] }
        view.members[member.device] = member.account
        // The newcomer has missed what this device said before.
        return [.send(.looking(own.item))] + pending(at: now)
    }

    public mutating func left(_ device: DeviceID) { view.remove(device) }

    public mutating func received(
        _ frame: RoomFrame, from member: RoomMember, at now: Timestamp
    ) -> [RoomAction] {
        guard case .live = phase, member.device != me.device else { return [] }
        view.note(frame, from: member, at: now)
        switch frame {
        case .landed: return [.fetch]
        case .tentative(let change) where change.operation == .markOff && member.account != me.account:
            let isMine = own.changes.contains { $0.change.operation == .markOff && $0.change.item == change.item }
            return isMine ? [.doubleBuy(change.item, by: member.account)] : []
        default: return []
        }
    }

    /// Entries have arrived in the journal: they take the place of their tentative forms.
    public mutating func landed(_ entries: Set<EntryID>) {
        view.tentative.removeAll { entries.contains($0.change.entry) }
        own.changes.removeAll { entries.contains($0.change.entry) }
    }

    /// Removes what has expired.
    /// - Returns: whether the view has changed.
    public mutating func expire(at now: Timestamp) -> Bool {
        own.changes.removeAll { $0.until <= now }
        return view.expire(at: now)
    }

    // MARK: This device

    /// The person looks at an item. Call it again while that lasts.
    public mutating func look(at item: ItemID?, at now: Timestamp) -> [RoomAction] {
        let isRepeated =
            own.item == item
            && own.lookedAt.map { now < $0.advanced(byMilliseconds: RoomView.lookingTime / 2) } ?? false
        own.item = item
        guard !isRepeated, case .live = phase else { return [] }
        own.lookedAt = now
        return [.send(.looking(item))]
    }

    /// The person types. At most one frame every half of ``RoomView/typingTime``.
    public mutating func type(in item: ItemID?, at now: Timestamp) -> [RoomAction] {
        guard case .live = phase,
            own.typedAt.map({ now >= $0.advanced(byMilliseconds: RoomView.typingTime / 2) }) ?? true
        else { return [] }
        own.typedAt = now
        return [.send(.typing(item))]
    }

    /// The person has made a change, which is in the upload queue.
    public mutating func changed(_ change: TentativeChange, at now: Timestamp) -> [RoomAction] {
        own.changes.append((change, now.advanced(byMilliseconds: RoomView.tentativeTime)))
        own.typedAt = nil
        if own.changes.count > RoomView.maximumTentative { own.changes.removeFirst() }
        guard case .live = phase else { return [] }
        let rival = view.tentative.first {
            change.operation == .markOff && $0.change.operation == .markOff && $0.change.item == change.item
                && $0.member.account != me.account
        }
        return [.send(.tentative(change))] + (rival.map { [.doubleBuy(change.item, by: $0.member.account)] } ?? [])
    }

    /// The person undid a change before it was sent.
    public mutating func withdrew(_ entry: EntryID) -> [RoomAction] {
        own.changes.removeAll { $0.change.entry == entry }
        guard case .live = phase else { return [] }
        return [.send(.withdrawn(entry))]
    }

    /// This device's changes have been appended to the journal.
    public mutating func uploaded(_ entries: Set<EntryID>, through sequence: SequenceNumber) -> [RoomAction] {
        landed(entries)
        guard case .live = phase else { return [] }
        return [.send(.landed(sequence))]
    }

    private func pending(at now: Timestamp) -> [RoomAction] {
        own.changes.filter { $0.until > now }.map { .send(.tentative($0.change)) }
    }
}
