import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Keeps the rooms in order while the service runs: puts out people who were removed, ends rooms whose time is over and
/// sockets whose client is gone, and talks with the other processes.
struct RoomKeeper: ServiceLifecycle.Service {
    let hub: RoomHub
    /// Pause between two comparisons with the database, however often something changes.
    private static let checkPause = Duration.milliseconds(200)
    /// How long people stay in rooms while the database can't say whether they are still on the list.
    private static let maximumUnchecked = Duration.seconds(30)

    func run() async throws {
        // Sockets are closed by their connections, which are told when the server stops.
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await check() }
                group.addTask { await every(.seconds(1)) { endRooms() } }
                group.addTask { await every(hub.pingInterval) { tick() } }
                group.addTask { await every(.seconds(15)) { repeatPresence() } }
                group.addTask { await hub.relay.sendWaiting() }
                group.addTask {
                    await hub.relay.receive {
                        repeatPresence()
                    } received: { process, signal in
                        received(signal, from: process)
                    }
                }
                await group.waitForAll()
            }
        }
    }

    // MARK: People

    private func check() async {
        for await _ in hub.events.accessSignals {
            await hub.checkPeople()
            do { try await Task.sleep(for: Self.checkPause) } catch { return }
        }
    }

    // MARK: Time

    private func endRooms() {
        let now = ContinuousClock.now
        let (ended, silent) = hub.state.withLock { state in
            (state.rooms.values.filter { $0.end <= now }, state.forgetSilent(at: now))
        }
        for room in ended { for socket in room.sockets { hub.putOut(socket, of: room.id, .expired) } }
        for (room, device, sockets) in silent { hub.deliver(.left(room, device), RoomState.Delivery(sockets: sockets)) }
        if hub.rooms > 0, now - hub.checkedAt.withLock(\.self) > Self.maximumUnchecked { hub.putOutAll() }
    }

    private func tick() {
        for socket in hub.state.withLock({ $0.allSockets }) { socket.tick(every: hub.pingInterval) }
    }

    private func repeatPresence() { hub.relay.send(hub.state.withLock { $0.presentSignals }) }

    private func every(_ pause: Duration, _ body: () -> Void) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            body()
        }
    }

    // MARK: Other processes

    private func received(_ signal: RoomSignal, from process: String) {
        let delivery = hub.state.withLock { $0.received(signal, from: process, at: .now) }
        switch signal {
        case .said(let room, let member, let body): hub.deliver(.said(room, from: member, body: body), delivery)
        case .entered(let room, let member), .present(let room, let member):
            hub.deliver(.entered(room, member), delivery)
        case .left(let room, let device): hub.deliver(.left(room, device), delivery)
        case .hailed(let list, let device): hub.events.hailed([device], on: list)
        }
    }
}

extension RoomHub {
    /// Compares the people of all rooms with the database: who is no longer on a list, or signed out, is put out.
    func checkPeople() async {
        let began = ContinuousClock.now
        checkBeganAt.withLock { $0 = began }
        let (rooms, sockets) = state.withLock { ($0.rooms, $0.allSockets) }
        guard !sockets.isEmpty else { return checkedAt.withLock { $0 = began } }
        let seats = rooms.values.flatMap { room in room.sockets.map { (room, $0) } }
        do {
            let memberships = Set(seats.map { Membership(list: $0.list, account: $1.session.account) })
            let existing = memberships.isEmpty ? [] : try await store.existing(memberships)
            let signedIn = try await store.signedIn(sockets.map(\.session.device))
            for (room, socket) in seats
            where !existing.contains(Membership(list: room.list, account: socket.session.account)) {
                putOut(socket, of: room.id, .removed)
            }
            for socket in sockets where !signedIn.contains(socket.session.device) {
                close(socket)
                socket.close(SocketCloseCode.signedOut)
            }
            checkedAt.withLock { $0 = began }
        } catch {
            logger.warning("the people in rooms could not be checked", metadata: ["error": "\(error)"])
        }
    }

    /// Ends all rooms: nobody knows who may still be in them.
    func putOutAll() {
        for room in state.withLock({ $0.rooms }).values {
            for socket in room.sockets { putOut(socket, of: room.id, .unavailable) }
        }
    }
}
