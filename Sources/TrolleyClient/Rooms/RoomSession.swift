public import TrolleyJournal
public import TrolleySync
import TrolleyWire

/// An open list's room: what the others do on it right now, and what this device tells them.
///
/// It is opportunistic. Whatever fails, the list goes on by the journal, and ``refresh()`` tries again. It stores nothing.
public actor RoomSession {
    private let device: Device
    private let list: ListID
    private let me: RoomMember
    private let hailKey = HailKey()
    private var machine: RoomMachine
    /// The service's clock minus this device's, in milliseconds.
    private var clockOffset: Int64 = 0
    /// The number of reports of presence, and the last of them that was answered. Answers may overtake each other.
    private var reports = 0
    private var answered = 0
    private var connection: (room: RoomID, task: Task<Void, Never>, socket: RoomSocket?)?
    private var keys: RoomKeys?
    private var expiry: Task<Void, Never>?
    private var isStopped = false

    /// What happens in the room. For a single reader; a slow one skips earlier views, and of more than 64 double buys the oldest.
    public nonisolated let updates: AsyncStream<RoomUpdate>
    private let queue: RoomUpdateQueue

    init(_ device: Device, _ list: ListID, me: RoomMember) {
        self.device = device
        self.list = list
        self.me = me
        machine = RoomMachine(me: me)
        queue = RoomUpdateQueue()
        updates = queue.updates()
    }

    /// Whether the device has or opens a socket.
    var isConnecting: Bool { connection != nil }

    /// Whether the device is in a room.
    public var phase: RoomMachine.Phase { machine.phase }

    /// What the others do now.
    public var view: RoomView { machine.view }

    // MARK: Presence

    /// Tells the service that the list is open on this device, and enters, makes or leaves the room as that requires.
    /// Call it on each of ``Device/triggers(every:)``, like ``ShoppingList/announcePresence()``.
    ///
    /// ```swift
    /// let room = try await list.room()
    /// try await room.refresh()
    /// ```
    /// - Returns: the other accounts that have the list open.
    @discardableResult
    public func refresh() async throws(DeviceError) -> [AccountID] {
        let transport = try await device.transport()
        reports += 1
        let report = reports
        let response: PresenceResponse
        do throws(TransportError) {
            response = try await transport.enterPresence(on: list, hailKey: hailKey.text)
        } catch {
            throw .transport(error)
        }
        let others = response.presence.map(\.account).filter { $0 != me.account }
        if await note(response, of: report), machine.phase == .idle, !others.isEmpty { await readHails(transport) }
        return others
    }

    /// - Returns: false when a later report's answer has overtaken this one, or the service has no rooms.
    func note(_ response: PresenceResponse, of report: Int) async -> Bool {
        guard !isStopped, report > answered, let devices = response.devices, let now = response.now else {
            return false
        }
        answered = report
        clockOffset = now.milliseconds - device.clock().uptime
        await perform(machine.presence(devices, at: now))
        return true
    }

    /// Whatever fails is tried again with the next report of presence.
    private func readHails(_ transport: HTTPTransport) async {
        guard let hails = try? await transport.hails(on: list) else { return }
        for hail in hails {
            let sender = RoomMember(account: hail.author, device: hail.device)
            if let credentials = hailKey.open(hail, on: list, to: me.device) {
                await perform(machine.hailed(hail.id, credentials, from: sender, at: serviceNow))
            } else {
                await perform(machine.unreadableHail(hail.id))
            }
        }
    }

    private var serviceNow: Timestamp { Timestamp(milliseconds: device.clock().uptime + clockOffset) }

    /// Leaves the room. The session must not be used afterwards.
    ///
    /// ```swift
    /// let room = try await list.room()
    /// await room.stop()
    /// ```
    public func stop() async {
        isStopped = true
        await perform(machine.stop())
        expiry?.cancel()
        queue.finish()
    }

    // MARK: This device

    /// Tells the others that the person looks at an item. Call it again while that lasts.
    ///
    /// ```swift
    /// let room = try await list.room()
    /// await room.look(at: milk.id)
    /// ```
    public func look(at item: ItemID?) async { await perform(machine.look(at: item, at: serviceNow)) }

    /// Tells the others that the person types.
    ///
    /// ```swift
    /// let room = try await list.room()
    /// await room.type(in: milk.id)
    /// ```
    /// - Parameter item: nil: a new item.
    public func type(in item: ItemID?) async { await perform(machine.type(in: item, at: serviceNow)) }

    /// Tells the others the changes that wait in the list's upload queue, as tentative ones, and no longer shows others'
    /// changes that have arrived. Call it after each change on this device and after each sync.
    ///
    /// ```swift
    /// let room = try await list.room()
    /// try await list.markOff(milk.id)
    /// await room.noteChanges()
    /// ```
    public func noteChanges() async {
        guard case .live = machine.phase, let journal = try? await device.store.journal(of: list) else { return }
        let awaited = machine.awaited
        var arrived: Set<EntryID> = []
        if !awaited.isEmpty {
            for entry in journal.confirmed where awaited.contains(entry.entry.id) { arrived.insert(entry.entry.id) }
        }
        await perform(
            machine.journal(
                waiting: journal.pending.map(\.entry), arrived: arrived, through: journal.confirmed.last?.sequence,
                at: serviceNow))
    }

    // MARK: Acting

    private func perform(_ actions: [RoomAction]) async {
        for action in actions {
            switch action {
            case .makeRoom(let devices): await makeRoom(hailing: devices)
            case .hail(let credentials, let devices): _ = await hail(devices, to: credentials)
            case .deleteHail(let hail): _ = try? await device.transport().deleteHail(hail, on: list)
            case .connect(let credentials): connect(credentials)
            case .disconnect(let room): await disconnect(room)
            case .send(let frame): await send(frame)
            case .fetch: queue.add(.fetch)
            case .doubleBuy(let item, let account): queue.add(.doubleBuy(item, by: account))
            }
        }
        show()
    }

    private func makeRoom(hailing devices: [PresentDevice]) async {
        let now = serviceNow
        let credentials = RoomCredentials(
            room: RoomID(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max))),
            secret: RoomKeys.randomBytes(RoomCredentials.secretBytes), createdAt: now,
            expiresAt: now.advanced(byMilliseconds: RoomLimits().roomLifetime))
        if let expiresAt = await hail(devices, to: credentials) {
            var credentials = credentials
            credentials.expiresAt = min(credentials.expiresAt, expiresAt)
            await perform(machine.made(credentials, hailing: devices, at: serviceNow))
        } else {
            machine.makingFailed()
        }
    }

    /// - Returns: when the room ends; nil on failure.
    private func hail(_ devices: [PresentDevice], to credentials: RoomCredentials) async -> Timestamp? {
        let hails = devices.compactMap { other in
            HailKey.seal(credentials, for: other.hailKey, on: list, from: me, to: other.device)
                .map { HailsRequest.Outgoing(to: other.device, sealed: $0) }
        }
        let request = HailsRequest(
            room: credentials.room, key: RoomKeys(credentials).handshakeKeyText, hails: hails)
        return try? await device.transport().hail(request, on: list).expiresAt
    }

    private func connect(_ credentials: RoomCredentials) {
        let keys = RoomKeys(credentials)
        self.keys = keys
        let path = "\(Path.roomSocket(keys.room))?\(keys.handshake(for: me, on: list, at: serviceNow).query)"
        let task = Task { [weak self, device] in
            var isRefused = false
            do {
                guard let session = try await device.session(), let address = ServiceAddress(session.server) else {
                    return
                }
                try await RoomSocket.run(
                    address, path: path, token: session.token,
                    tls: device.trust.configuration(kept: session.authorities)
                ) { [weak self] socket in
                    await self?.connected(keys.room, socket)
                } received: { [weak self] event in
                    await self?.received(event, in: keys.room)
                }
            } catch TransportError.notUnderstood {
                isRefused = true
            } catch {
                // A lost connection does no harm: the next report of presence tries again.
            }
            await self?.closed(keys.room, isRefused: isRefused)
        }
        connection = (keys.room, task, nil)
    }

    private func connected(_ room: RoomID, _ socket: RoomSocket) {
        if connection?.room == room { connection?.socket = socket }
    }

    private func closed(_ room: RoomID, isRefused: Bool) {
        guard connection?.room == room else { return }
        connection = nil
        machine.closed(room, isRefused: isRefused)
        show()
    }

    private func disconnect(_ room: RoomID) async {
        guard let open = connection, open.room == room else { return }
        connection = nil
        _ = try? await open.socket?.close()
        open.task.cancel()
    }

    private func send(_ frame: RoomFrame) async {
        guard let keys, let open = connection, let body = keys.seal(frame, from: me) else { return }
        _ = try? await open.socket?.send(.say(RoomAddress(open.room, on: list), body: body))
    }

    /// - Parameter room: the room that the socket was opened for.
    private func received(_ event: SocketEvent, in room: RoomID) async {
        // What an earlier socket still says isn't about the room that the device is in now.
        guard connection?.room == room, event.room.map({ $0 == RoomAddress(room, on: list) }) ?? true else { return }
        switch event {
        case .joined, .entered, .left, .closed:
            // After `closed`, the service closes the socket, too.
            await perform(machine.heard(event, frame: nil, at: serviceNow))
        case .said(_, let member, let body):
            guard let frame = keys?.open(body, from: member) else { return }
            await perform(machine.heard(event, frame: frame, at: serviceNow))
        case .missed:
            // Ask for the people in the room and for the entries that have landed. The others repeat what they do, because the
            // service asks them.
            queue.add(.fetch)
            // The socket is read meanwhile. If it fails, the next report of presence comes anyway.
            Task { [weak self] in _ = try? await self?.refresh() }
        case .refused, .hint, .unknown: break
        }
    }

    private func show() {
        queue.add(.view(machine.view))
        expiry?.cancel()
        guard !isStopped, let next = machine.view.nextExpiry else { return }
        let wait = max(0, next.milliseconds - serviceNow.milliseconds) + 1
        expiry = Task { [weak self] in
            do { try await Task.sleep(for: .milliseconds(wait)) } catch { return }
            await self?.expire()
        }
    }

    private func expire() { if machine.expire(at: serviceNow) { show() } }
}

extension SocketEvent {
    /// The room that it tells of.
    fileprivate var room: RoomAddress? {
        switch self {
        case .joined(let room, _, _), .entered(let room, _), .left(let room, _), .said(let room, _, _),
            .closed(let room, _):
            room
        case .refused(let room, _, _): room
        case .hint, .missed, .unknown: nil
        }
    }
}
