import NIOCore
import NIOPosix
import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient
@testable import TrolleySync

/// Two devices, a service between them, and what one person sees of the other.
@Suite("Rooms of devices", .timeLimit(.minutes(20)))
struct RoomSessionTests {
    @Test(
        "two people who open a list are live, see what the other looks at, and a tentative mark becomes real",
        arguments: [1, 2])
    func live(processes: Int) async throws {
        try await RoomPair.with(processes: processes) { pair in
            let (alice, bob, milk) = (pair.alice, pair.bob, pair.milk)
            let (first, second) = try await pair.enter()
            let phases = (await first.phase, await second.phase)
            #expect(phases.0 == phases.1 && phases.0 != .idle)

            await first.look(at: milk)
            try await eventually {
                await second.view
            } until: {
                $0.looking.values.contains { $0.item == milk }
            }
            await second.type(in: nil)
            try await eventually {
                await first.view
            } until: {
                $0.typing.values.contains { $0.item == nil }
            }

            // Told before it is in the journal.
            try await alice.list(pair.list).perform([.markOff(milk)])
            await first.noteChanges()
            try await eventually {
                await second.view
            } until: {
                $0.tentative.map(\.change.operation) == [.markOff]
            }
            #expect(try await bob.list(pair.list).state().items.first?.markedOff == false)
            // It lands, and takes the place of its tentative form.
            #expect(try await alice.sync(.manual).waiting == 0)
            await first.noteChanges()
            _ = try await bob.sync(.push)
            await second.noteChanges()
            #expect(try await bob.list(pair.list).state().items.first?.markedOff == true)
            #expect(await second.view.tentative.isEmpty)

            // Bob marks it off, too: both journals say so.
            try await bob.list(pair.list).perform([.markOff(milk)])
            _ = try await bob.sync(.manual)
            _ = try await alice.sync(.push)
            for device in [alice, bob] {
                #expect(try await device.list(pair.list).doubleBuys().map(\.item) == [milk])
            }

            // An earlier report's answer arrives late: of a time when nobody else was here.
            let late = PresenceResponse(presence: [], renewAfter: 30_000, devices: [], now: .now())
            #expect(await !second.note(late, of: 0))
            #expect(await second.phase == phases.0)

            // Closing clears what was transient.
            await first.stop()
            try await eventually {
                await second.view
            } until: {
                $0 == RoomView()
            }
            await second.stop()
        }
    }

    @Test("a session that is stopped while its room is being made opens no socket")
    func stoppedWhileMaking() async throws {
        try await RoomPair.with(processes: 1) { pair in
            let (first, second) = (
                try await pair.alice.list(pair.list).room(), try await pair.bob.list(pair.list).room()
            )
            _ = try await first.refresh()
            _ = try await second.refresh()
            let pool = Pool(try .patient(pair.url))
            try await pool.withTransaction { connection in
                try await connection.execute("LOCK TABLE room IN SHARE MODE")
                let refresh = Task { try await first.refresh() }
                try await connection.untilSomebodyWaits()
                await first.stop()
                try await connection.execute("COMMIT")
                try await connection.execute("BEGIN")
                _ = try await refresh.value
            }
            await pool.close()
            #expect(await !first.isConnecting)
            #expect(await first.phase == .idle)
            await second.stop()
        }
    }

    @Test("a reader that is slow misses no fetch and no double purchase, and sees the last view")
    func slowReader() async {
        let queue = RoomUpdateQueue()
        let (item, account) = (
            ItemID.version7(at: .now(), random: (1, 2)), AccountID.version7(at: .now(), random: (3, 4))
        )
        queue.add(.fetch)
        queue.add(.doubleBuy(item, by: account))
        var view = RoomView()
        for number in 0..<1000 as Range<UInt64> {
            view.members = [.version7(at: .now(), random: (number, number)): account]
            queue.add(.view(view))
            queue.add(.fetch)
        }
        queue.finish()
        var read: [RoomUpdate] = []
        for await update in queue.updates() { read.append(update) }
        #expect(read == [.fetch, .doubleBuy(item, by: account), .view(view)])
    }

    @Test("two people who mark off one item at nearly the same time both hear it before the entries meet")
    func doubleBuy() async throws {
        try await RoomPair.with(processes: 1) { pair in
            let (first, second) = try await pair.enter()
            let (heardByAlice, heardByBob) = (DoubleBuys(of: first), DoubleBuys(of: second))
            try await pair.alice.list(pair.list).perform([.markOff(pair.milk)])
            try await pair.bob.list(pair.list).perform([.markOff(pair.milk)])
            await first.noteChanges()
            try await eventually {
                await second.view
            } until: {
                $0.tentative.count == 1
            }
            await second.noteChanges()
            try await eventually {
                [heardByAlice.items, heardByBob.items]
            } until: {
                $0 == [[pair.milk], [pair.milk]]
            }
            for device in [pair.alice, pair.bob] { #expect(try await device.list(pair.list).doubleBuys().isEmpty) }
            await first.stop()
            await second.stop()
        }
    }

    @Test("a tentative change whose device leaves before it was sent goes with it, and the list is as before")
    func neverReal() async throws {
        try await RoomPair.with(processes: 1) { pair in
            let (first, second) = try await pair.enter()
            let eggs = pair.alice.identifier(ItemID.self)
            try await pair.alice.list(pair.list).perform(
                [.markOff(pair.milk), .edit(pair.milk, ["text": "oat milk"]), .add(eggs, ["text": "eggs"], .bottom)])
            await first.noteChanges()
            try await eventually {
                await second.view
            } until: {
                $0.tentative.count == 3
            }
            let changes = await second.view.tentative.map(\.change)
            #expect(changes.map(\.operation) == [.markOff, .edit, .add])
            #expect(changes.map(\.text) == [nil, "oat milk", "eggs"])
            await first.stop()
            try await eventually {
                await second.view
            } until: {
                $0.tentative.isEmpty
            }
            _ = try await pair.bob.sync(.manual)
            let items = try await pair.bob.list(pair.list).state().items
            #expect(items.map(\.text) == ["milk"] && items.first?.markedOff == false)
            await second.stop()
        }
    }

    @Test("when the service stops, nothing transient is left and the list goes on; when it is back, so is the room")
    func interrupted() async throws {
        try await withTestDatabase(FleetService.migrated) { url in
            let directories = [FleetDirectory(), FleetDirectory()]
            var port = 0
            var met: (pair: RoomPair, first: RoomSession, second: RoomSession)?
            try await ServedDatabase.run(url) { service in
                port = service.port
                let pair = try await RoomPair(at: [service, service], url, directories)
                let (first, second) = try await pair.enter()
                await first.look(at: pair.milk)
                try await eventually {
                    await second.view
                } until: {
                    $0.looking.values.contains { $0.item == pair.milk }
                }
                met = (pair, first, second)
            }
            let (pair, first, second) = try #require(met)
            for session in [first, second] {
                try await eventually {
                    await session.phase
                } until: {
                    $0 == .idle
                }
                #expect(await session.view == RoomView())
                await #expect(throws: DeviceError.self) { try await session.refresh() }
            }
            try await pair.alice.list(pair.list).perform([.markOff(pair.milk)])
            await first.noteChanges()
            #expect(try await pair.alice.list(pair.list).state().items.first?.markedOff == true)
            try await ServedDatabase.run(url, port: port) { _ in
                try await pair.meet(first, second)
                // What waited is told to those who come.
                await first.noteChanges()
                try await eventually {
                    await second.view
                } until: {
                    $0.tentative.map(\.change.operation) == [.markOff]
                }
                await first.stop()
                await second.stop()
                await pair.close()
            }
        }
    }

    @Test("a service that accepts a connection and says nothing is given up", .timeLimit(.minutes(20)))
    func silentService() async throws {
        let server = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let address = try #require(ServiceAddress("http://127.0.0.1:\(port)"))
        await #expect(throws: (any Error).self) {
            try await RoomSocket.run(
                address, path: Path.socket, token: "none", tls: nil, patience: .milliseconds(200)
            ) { _ in
                Issue.record("there is no socket")
            } received: { _ in
            }
        }
        try await server.close()
    }

    @Test("a hail opens for its addressee only, and a frame for its room and sender only")
    func sealing() throws {
        let (list, room): (ListID, RoomID) = (
            .version7(at: .now(), random: (1, 2)), .version7(at: .now(), random: (3, 4))
        )
        let sender = RoomMember(
            account: .version7(at: .now(), random: (5, 6)), device: .version7(at: .now(), random: (7, 8)))
        let addressee = DeviceID.version7(at: .now(), random: (9, 10))
        let credentials = RoomCredentials(
            room: room, secret: RoomKeys.randomBytes(32), createdAt: .now(),
            expiresAt: Timestamp.now().advanced(byMilliseconds: 60_000))
        let (key, other) = (HailKey(), HailKey())
        let sealed = try #require(
            HailKey.seal(credentials, for: key.text, on: list, from: sender, to: addressee))
        #expect(sealed.utf8.count <= HailsRequest.maximumSealed)
        func hail(_ change: (inout Hail) -> Void = { _ in }) -> Hail {
            var hail = Hail(
                id: .version7(at: .now(), random: (11, 12)), room: room, author: sender.account, device: sender.device,
                sealed: sealed, createdAt: .now(), expiresAt: credentials.expiresAt)
            change(&hail)
            return hail
        }
        #expect(key.open(hail(), on: list, to: addressee) == credentials)
        #expect(other.open(hail(), on: list, to: addressee) == nil)
        #expect(key.open(hail(), on: list, to: sender.device) == nil)
        #expect(key.open(hail { $0.device = addressee }, on: list, to: addressee) == nil)
        #expect(key.open(hail { $0.room = .version7(at: .now(), random: (13, 14)) }, on: list, to: addressee) == nil)
        #expect(key.open(hail { $0.sealed = "AAAA" }, on: list, to: addressee) == nil)
        #expect(HailKey.seal(credentials, for: "short", on: list, from: sender, to: addressee) == nil)

        let keys = RoomKeys(credentials)
        let frame = RoomFrame.looking(.version7(at: .now(), random: (15, 16)))
        let body = try #require(keys.seal(frame, from: sender))
        #expect(keys.open(body, from: sender) == frame)
        #expect(keys.open(body, from: RoomMember(account: sender.account, device: addressee)) == nil)
        var elsewhere = credentials
        elsewhere.room = .version7(at: .now(), random: (17, 18))
        #expect(RoomKeys(elsewhere).open(body, from: sender) == nil)
        #expect(RoomKeys(elsewhere).handshakeKeyText != keys.handshakeKeyText)
        // The service's key opens nothing.
        #expect(!body.contains(keys.handshakeKeyText) && keys.seal(frame, from: sender) != body)
    }
}

/// The double buys of which a session tells.
private final class DoubleBuys: Sendable {
    private let heard = Mutex<[ItemID]>([])

    init(of session: RoomSession) {
        Task { [weak self] in
            for await update in session.updates {
                if case .doubleBuy(let item, _) = update { self?.heard.withLock { $0.append(item) } }
            }
        }
    }

    var items: [ItemID] { heard.withLock(\.self) }
}
