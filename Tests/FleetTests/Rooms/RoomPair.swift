import Testing
import TrolleyJournal
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// Alice and Bob, each with a device, and a list with milk on it.
struct RoomPair: Sendable {
    let alice: Device
    let bob: Device
    let list: ListID
    let milk: ItemID
    /// The service's database.
    let url: String
    /// They go with the pair.
    private let directories: [FleetDirectory]

    /// - Parameter processes: service processes on one database; with two, each person is at another one.
    static func with(processes: Int, _ body: (RoomPair) async throws -> Void) async throws {
        try await withTestDatabase(FleetService.migrated) { url in
            let directories = [FleetDirectory(), FleetDirectory()]
            try await ServedDatabase.run(url, isOneOfSeveral: processes > 1) { one in
                if processes == 1 {
                    let pair = try await RoomPair(at: [one, one], url, directories)
                    try await body(pair)
                    await pair.close()
                } else {
                    try await ServedDatabase.run(url, isOneOfSeveral: true) { other in
                        let pair = try await RoomPair(at: [one, other], url, directories)
                        try await body(pair)
                        await pair.close()
                    }
                }
            }
        }
    }

    init(at services: [ServedDatabase], _ url: String, _ directories: [FleetDirectory]) async throws {
        let devices = try directories.map {
            try Device(directory: $0.path, connectTimeout: .seconds(60), requestTimeout: .seconds(120))
        }
        for (index, name) in ["alice", "bob"].enumerated() {
            _ = try await devices[index].signUp(
                server: services[index].address, email: "\(name)@example.com", name: name, password: "correct horse")
        }
        (alice, bob) = (devices[0], devices[1])
        self.directories = directories
        self.url = url
        list = try await alice.makeList(named: "Shop").id
        milk = alice.identifier(ItemID.self)
        try await alice.list(list).perform([.add(milk, ["text": "milk"], .bottom)])
        #expect(try await alice.sync(.manual).waiting == 0)
        let links = try await alice.list(list).share(with: [InvitationRequest(email: "bob@example.com")])
        let link = try #require(links.first?.link)
        // A link names its service; these two are one.
        let other = link.replacing(services[0].address, with: services[1].address)
        #expect(try await bob.join(other).list.id == list)
    }

    /// Both open the list, and are in one room.
    func enter() async throws -> (RoomSession, RoomSession) {
        let first = try await alice.list(list).room()
        let second = try await bob.list(list).room()
        // Alone there is no room. Alice was first, so she makes it when Bob has come.
        #expect(try await first.refresh().isEmpty)
        #expect(await first.phase == .idle)
        #expect(try await second.refresh().count == 1)
        try await meet(first, second)
        return (first, second)
    }

    /// Reports presence, as an app does again and again, until both see each other.
    func meet(_ first: RoomSession, _ second: RoomSession) async throws {
        var round = 0
        try await eventually("each device sees the other one in the room", every: .milliseconds(50)) {
            // What they say may be lost, so they say it again now and then.
            if round % 10 == 0 {
                _ = try await first.refresh()
                _ = try await second.refresh()
            }
            round += 1
            return [await first.view.members.count, await second.view.members.count]
        } until: {
            $0 == [1, 1]
        }
    }

    func close() async {
        await alice.close()
        await bob.close()
    }
}
