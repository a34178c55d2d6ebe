import FoundationEssentials
import Synchronization
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// What a device comes back from, each on the real service: it ends in the right list, with its unsent changes kept.
@Suite struct RecoveryTests {
    /// Alice has a list that is shared with Bob, both devices are in step, and Alice has something unsent.
    struct Scene {
        let database: FleetDatabase
        let network: FleetNetwork
        let people: [AccountResponse]
        let alice: FleetDevice
        let bob: FleetDevice
        let list: ListID = Samples.id()

        init(_ database: FleetDatabase) async throws {
            self.database = database
            network = FleetNetwork(database.service, seed: 1)
            var people: [AccountResponse] = []
            for name in ["alice", "bob"] {
                people.append(try await network.signUp("\(name)-\(database.nextNumber())@example.com"))
            }
            self.people = people
            (alice, bob) = (try FleetDevice(number: 0, person: 0), try FleetDevice(number: 1, person: 1))
            try await network.signIn(alice, as: people[0])
            try await network.signIn(bob, as: people[1])
            try await alice.store.addList(list)
            try await add(["milk", "bread"], on: alice)
            try await sync(alice)
            try await network.share(Path.list(list), from: alice, to: bob)
            try await bob.store.join(list)
            try await sync(bob, alice)
            try await add(["unsent"], on: alice)
            try await add(["eggs"], on: bob)
            try await sync(bob)
        }

        func add(_ texts: [String], on device: FleetDevice) async throws {
            for text in texts {
                _ = try await device.store.append([Samples.add(text)], to: list, made: device.clock.now)
            }
        }

        /// What a service would say that isn't quite right.
        func receive(_ changes: [Change], token: String, on device: FleetDevice) async throws {
            let page = ChangesPage(changes: changes, token: token, moreComing: false, snapshot: false)
            _ = try await device.store.receive(
                AllChangesResponse(lists: [AllChangesResponse.List(id: list, page: page)]), at: device.clock.now.wall)
        }

        func sync(_ devices: FleetDevice...) async throws {
            for device in devices {
                device.clock.pass(3_600_001)
                let report = try await device.sync(.byHand, over: network, random: 0)
                #expect(report?.failure == nil)
            }
        }

        /// All is as it should be: what was made on either device is on both, once.
        func check(_ texts: Set<String> = ["milk", "bread", "unsent", "eggs"]) async throws {
            try await sync(alice, bob, alice)
            for device in [alice, bob] {
                let state = try await device.state(of: list)
                #expect(state.items.count == texts.count && Set(state.items.map(\.text)) == texts)
                #expect(try await device.store.standing().waiting == 0)
            }
            #expect(try await alice.state(of: list) == bob.state(of: list))
        }
    }

    private func scene(_ body: (Scene) async throws -> Void) async throws {
        try await withTestDatabase(FleetService.migrated) { url in
            let database = try await FleetDatabase(url: url)
            do {
                try await body(try await Scene(database))
            } catch {
                await database.close()
                throw error
            }
            await database.close()
        }
    }

    @Test func `signing out and in again brings the lists back, and what was unsent is sent then`() async throws {
        try await scene { scene in
            try await scene.alice.store.signOut()
            #expect(try await scene.alice.store.standing().lists.isEmpty)
            try await scene.network.signIn(scene.alice, as: scene.people[0])
            try await scene.check()
        }
    }

    @Test func `fetching afresh replaces what was there and keeps what is unsent`() async throws {
        try await scene { scene in
            try await scene.alice.store.forgetTokens(of: scene.list)
            #expect(try await scene.alice.state(of: scene.list).items.count == 3, "until the snapshot is here")
            try await scene.check()
        }
    }

    @Test func `a token that is too old to be honoured leads to a snapshot`() async throws {
        try await scene { scene in
            try await scene.receive([], token: "AREiM0RVZneIAAAAAAAAAAHzX1k5cGg5Ym1xZ2Rk", on: scene.alice)
            try await scene.check()
        }
    }

    @Test func `another epoch leads to a snapshot`() async throws {
        try await scene { scene in
            try await scene.network.current.beginEpoch()
            try await scene.check()
        }
    }

    @Test func `a restored service gets back what its devices know`() async throws {
        try await scene { scene in
            let copy = try await scene.database.save()
            scene.network.current = scene.database.service
            try await scene.add(["after the copy"], on: scene.bob)
            try await scene.sync(scene.alice, scene.bob)
            try await scene.database.restore(copy)
            scene.network.current = scene.database.service
            try await scene.network.current.beginEpoch()
            try await scene.check(["milk", "bread", "unsent", "eggs", "after the copy"])
        }
    }

    @Test func `a device that was thrown out says so, loses nothing, and goes on when it is signed in again`()
        async throws
    {
        try await scene { scene in
            let other = try await scene.network.session(of: scene.people[0])
            let thrown = try #require(scene.alice.session?.device)
            _ = try await scene.network.calm(.delete, Path.device(thrown), token: other.token)
            let report = try await scene.alice.sync(.byHand, over: scene.network, random: 0)
            #expect(report?.failure?.code == .notAuthenticated && report?.waiting == 1 && report?.outcome == .failed)
            #expect(
                report?.failure?.description
                    == "The service no longer knows this device's session; sign in again, nothing is lost.")
            #expect(try await scene.alice.state(of: scene.list).items.count == 3)
            try await scene.network.signIn(scene.alice, as: scene.people[0])
            try await scene.check()
        }
    }

    /// The service of the fleets is one process, whatever its limits are: as two, it trusted a session here that had been
    /// ended there, and a run that had healed met `notAuthenticated` half a second later.
    @Test func `whoever was signed out under other limits is signed out`() async throws {
        try await scene { scene in
            let session = try #require(scene.bob.session)
            func status() async throws -> Int {
                try await scene.network.calm(.get, Path.account, token: session.token).status
            }
            #expect(try await status() == 200)
            scene.network.current = try await scene.database.service.with(Limits(entriesPerRequest: 3))
            _ = try await scene.network.calm(.delete, Path.session, token: session.token)
            scene.network.current = scene.database.service
            #expect(try await status() == 401)
        }
    }

    @Test func `a device that has come to another list than the service fetches it afresh and says so`() async throws {
        try await scene { scene in
            try await scene.sync(scene.alice)
            let list = scene.list
            // Something that no program does: an entry is missing.
            let milk = try #require(try await scene.alice.store.journal(of: list).confirmed.first)
            let row = try await scene.alice.store.read { try $0.list(list) }
            let lost = Change(sequence: row.through, body: .discard(ids: [milk.entry.id], anchors: [:]))
            try await scene.receive([lost], token: try #require(row.token), on: scene.alice)
            #expect(try await scene.alice.state(of: list).items.count == 3)
            scene.alice.clock.pass(3_600_001)
            let report = try await scene.alice.sync(.launch, over: scene.network, random: 0)
            #expect(report?.failure == nil)
            let after = try await scene.alice.store.read { try $0.list(list) }
            #expect(after.differed == 1 && after.differedAt == scene.alice.clock.now.wall && after.token != nil)
            try await scene.check()
            #expect(try await scene.alice.store.read { try $0.list(list).differed } == 1, "once was enough")
        }
    }

    @Test func `who may only read now keeps what they had not sent, and can make a list of it`() async throws {
        try await scene { scene in
            let reader = try FleetDevice(number: 2, person: 2)
            try await scene.network.signIn(reader, as: try await scene.network.signUp("carol@example.com"))
            try await scene.network.share(Path.list(scene.list), from: scene.alice, to: reader, permission: .readOnly)
            try await scene.sync(reader)
            // As a device does that has not heard yet.
            _ = try await reader.store.append([Samples.add("jam")], to: scene.list, made: reader.clock.now)
            try await scene.sync(reader)
            let refused = try await reader.store.rejected()
            #expect(refused.map(\.code) == [.permissionFailure] && refused.map(\.entry.fields) == [["text": "jam"]])
            #expect(
                try await reader.state(of: scene.list).items.count == 3, "the others' items are there, and not the jam")
            try await scene.check()
        }
    }

    @Test(arguments: [true, false])
    func `whoever is taken off a list learns it, even without a token`(_ hasToken: Bool) async throws {
        try await scene { scene in
            try await scene.add(["never sent"], on: scene.bob)
            if !hasToken { try await scene.bob.store.forgetTokens(of: nil) }
            let path = Path.participant(scene.people[1].id, of: scene.list)
            _ = try await scene.network.calm(.delete, path, token: scene.alice.session?.token)
            try await scene.sync(scene.bob)
            #expect(try await scene.bob.store.standing().lists.isEmpty)
            #expect(try await scene.bob.store.rejected().map(\.entry.fields) == [["text": "never sent"]])
            #expect(try await scene.bob.store.queues().notices.map(\.reason) == [.removed])
        }
    }

    @Test
    func `killed between any two transactions, before or after the commit, a device comes up and nothing is lost`()
        async throws
    {
        // How many transactions there are to be killed at, by a device that isn't.
        var count = 0
        try await scene { first in
            first.alice.fuse.light(after: nil)
            try await first.sync(first.alice)
            count = first.alice.fuse.count
            #expect(count > 8)
            for place in 0..<count {
                for commitsFirst in [false, true] {
                    let scene = try await Scene(first.database)
                    scene.alice.clock.pass(3_600_001)
                    scene.alice.fuse.light(after: place, commitsFirst: commitsFirst)
                    let report = try await scene.alice.sync(.byHand, over: scene.network, random: 0)
                    #expect(report == nil, "it was killed")
                    try await scene.check()
                    #expect(try await scene.alice.store.rejected().isEmpty)
                }
            }
        }
        print("killed \(2 * count) times, at each of \(count) transactions of a run")
    }
}
