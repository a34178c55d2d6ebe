import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// Alice has a list that is shared with Bob, both devices are in step, and Alice has something unsent.
struct Scene {
    let database: FleetDatabase
    let network: FleetNetwork
    let people: [AccountResponse]
    let alice: FleetDevice
    let bob: FleetDevice
    let list: ListID = Samples.id()

    /// - Parameter save: called after the people have signed in and before the list is made.
    init(_ database: FleetDatabase, savingBeforeList save: () async throws -> Void = {}) async throws {
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
        try await save()
        network.current = database.service
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

    /// Stores a page on a device, as a faulty service might send it.
    func receive(_ changes: [Change], token: String, on device: FleetDevice) async throws {
        let page = ChangesPage(changes: changes, token: token, moreComing: false, snapshot: false)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [AllChangesResponse.List(id: list, page: page)]), at: device.clock.now.wall)
    }

    func sync(_ devices: FleetDevice...) async throws {
        for device in devices {
            device.clock.pass(3_600_001)
            let report = try await device.sync(.manual, over: network, random: 0)
            #expect(report?.failure == nil)
        }
    }

    /// Checks that both devices have each change of either device once.
    func check(_ texts: Set<String> = ["milk", "bread", "unsent", "eggs"]) async throws {
        try await sync(alice, bob, alice)
        for device in [alice, bob] {
            let state = try await device.state(of: list)
            #expect(state.items.count == texts.count && Set(state.items.map(\.text)) == texts)
            #expect(try await device.store.deviceStatus().waiting == 0)
        }
        #expect(try await alice.state(of: list) == bob.state(of: list))
    }

    /// Runs `body` with the scene, on a database of its own.
    static func play(_ body: (Scene) async throws -> Void) async throws {
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
}
