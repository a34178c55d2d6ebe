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
    /// How often people are compared with the database, even if nothing seems to change.
    private static let checkInterval = Duration.seconds(10)

    func run() async throws {
        // Sockets are closed by their connections, which are told when the server stops.
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await check() }
                group.addTask {
                    await every(.seconds(1)) {
                        endRooms()
                        reportGaps()
                    }
                }
                group.addTask { await every(hub.pingInterval) { tick() } }
                group.addTask { await every(hub.presenceInterval) { tell(\.presentSignals) } }
                group.addTask { await hub.relay.sendWaiting() }
                group.addTask {
                    await hub.relay.receive {
                        reportGaps()
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
        for room in ended { for socket in room.sockets { hub.putOut(socket, of: room.address, .expired) } }
        for (room, device, sockets) in silent { hub.deliver(.left(room, device), RoomState.Delivery(sockets: sockets)) }
        let unchecked = now - hub.checkedAt.withLock(\.self)
        if unchecked > Self.checkInterval { hub.events.requestAccessCheck() }
        if unchecked > hub.uncheckedLimit { hub.putOutAll() }
    }

    private func tick() {
        for socket in hub.state.withLock({ $0.allSockets }) { socket.tick(every: hub.pingInterval) }
    }

    private func tell(_ signals: (RoomState) -> [RoomSignal]) { hub.relay.send(hub.state.withLock { signals($0) }) }

    private func every(_ pause: Duration, _ body: () -> Void) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            body()
        }
    }

    // MARK: Other processes

    /// If signals of other processes may have been lost, they are asked for what holds, and the devices ask for the rest.
    private func reportGaps() {
        guard hub.relay.takeReport(at: .now) else { return }
        tell(\.askingSignals)
        for socket in hub.state.withLock({ $0.allSockets }) { socket.tellMissed() }
    }

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
