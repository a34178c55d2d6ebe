import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// Two devices, a service between them, and what one person sees of the other.
@Suite("Rooms of devices", .timeLimit(.minutes(20)))
struct RoomSessionTests {
    @Test("two people who open a list are live, see what the other looks at, and a tentative mark becomes real")
    func live() async throws {
        try await withTestDatabase(FleetService.migrated) { url in
            try await ServedDatabase.run(url) { service in
                let directories = [FleetDirectory(), FleetDirectory()]
                let devices = try directories.map {
                    try Device(directory: $0.path, connectTimeout: .seconds(60), requestTimeout: .seconds(120))
                }
                let (alice, bob) = (devices[0], devices[1])
                for (device, name) in zip(devices, ["alice", "bob"]) {
                    _ = try await device.signUp(
                        server: service.address, email: "\(name)@example.com", name: name, password: "correct horse")
                }
                let list = try await alice.makeList(named: "Shop")
                let milk = alice.identifier(ItemID.self)
                try await alice.perform([.add(milk, ["text": "milk"], .bottom)], on: list)
                #expect(try await alice.sync(.manual).waiting == 0)
                let links = try await alice.share(list, with: [InvitationRequest(email: "bob@example.com")])
                let link = try #require(links.first?.link)
                #expect(try await bob.join(link).list == list)

                let first = try await alice.room(on: list)
                let second = try await bob.room(on: list)
                // Alone there is no room. Alice was first, so she makes it when Bob has come.
                #expect(try await first.refresh().isEmpty)
                #expect(await first.phase == .idle)
                #expect(try await second.refresh().count == 1)
                #expect(try await first.refresh().count == 1)
                _ = try await second.refresh()
                try await Self.wait { await first.view.members.count == 1 }
                try await Self.wait { await second.view.members.count == 1 }
                let phases = (await first.phase, await second.phase)
                #expect(phases.0 == phases.1 && phases.0 != .idle)

                await first.look(at: milk)
                try await Self.wait { await second.view.looking.values.contains { $0.item == milk } }

                // Told before it is in the journal.
                try await alice.perform([.markOff(milk)], on: list)
                await first.noteChanges()
                try await Self.wait {
                    await second.view.tentative.map(\.change.operation) == [.markOff]
                }
                #expect(try await bob.state(of: list).items.first?.markedOff == false)
                // It lands, and takes the place of its tentative form.
                #expect(try await alice.sync(.manual).waiting == 0)
                await first.noteChanges()
                _ = try await bob.sync(.push)
                await second.noteChanges()
                #expect(try await bob.state(of: list).items.first?.markedOff == true)
                #expect(await second.view.tentative.isEmpty)

                // Bob marks it off, too: both journals say so.
                try await bob.perform([.markOff(milk)], on: list)
                _ = try await bob.sync(.manual)
                _ = try await alice.sync(.push)
                for device in devices { #expect(try await device.doubleBuys(in: list).map(\.item) == [milk]) }

                // Closing clears what was transient.
                await first.stop()
                try await Self.wait { await second.view == RoomView() }
                await second.stop()
                for device in devices { await device.close() }
            }
        }
    }

    private static func wait(until isTrue: () async -> Bool) async throws {
        for _ in 0..<600 {
            if await isTrue() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it didn't come to that within 30 s")
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
