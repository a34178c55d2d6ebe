import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Presence and read marks", .timeLimit(.minutes(20)))
struct PresenceTests {
    @Test("a person who has a list open is shown until they close it or the lease ends")
    func presence() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let people: Set = [alice.account, bob.account]
            #expect(try await test.store.setPresence(of: alice, on: list, for: 60_000).toNotify == people)
            #expect(try await test.store.setPresence(of: alice, on: list, for: 60_000).toNotify == [], "still there")
            let both = try await test.store.setPresence(of: bob, on: list, for: 60_000).presence
            #expect(Set(both.map(\.account)) == [alice.account, bob.account])
            let left = try await test.store.setPresence(of: alice, on: list, for: nil)
            #expect(left.toNotify == people && left.presence.map(\.account) == [bob.account])
            _ = try await test.pool.withConnection {
                try await $0.execute("UPDATE presence SET until = now() - interval '6 minutes'")
            }
            #expect(try await test.store.share(of: list, for: alice.account).presence == [])
            try await test.store.deleteExpired()
            let rows = try await test.pool.withConnection { try await $0.execute("SELECT FROM presence").count }
            #expect(rows == 0)
        }
    }

    @Test("presence is of those on the list, each once, and ends when they are removed or sign out")
    func whose() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let stranger = try await test.person("stranger")
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let desk = try await test.store.createDevice(
                account: bob.account, name: "desk", tokenHash: Array(repeating: 1, count: 32))
            for device in [bob.device, desk.id] {
                let session = Session(account: bob.account, device: device)
                _ = try await test.store.setPresence(of: session, on: list, for: 60_000)
            }
            #expect(try await test.store.share(of: list, for: alice.account).presence?.map(\.account) == [bob.account])
            try await test.store.signOut(device: desk.id, account: bob.account)
            #expect(try await test.store.share(of: list, for: alice.account).presence?.count == 1, "his phone")
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            #expect(try await test.store.share(of: list, for: alice.account).presence == [])
            for lease in [60_000, nil] as [Int64?] {
                #expect(
                    await failure { try await test.store.setPresence(of: bob, on: list, for: lease) }
                        == "gone(TrolleyWire.ListGoneReason.removed)")
                #expect(
                    await failure { try await test.store.setPresence(of: stranger, on: list, for: lease) }
                        == "notOnList")
            }
        }
    }

    @Test("that a list is open costs one round trip to say, and that it is closed one, too")
    func roundTrips() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            for lease in [60_000, 60_000, nil] as [Int64?] {
                let before = test.pool.statistics.roundTrips
                let change = try await test.store.setPresence(
                    of: alice, on: list, for: lease, hailKey: Array(repeating: 1, count: 32))
                #expect(test.pool.statistics.roundTrips - before == 1)
                #expect(change.now != nil && change.devices.count == (lease == nil ? 0 : 1))
            }
        }
    }

    @Test("a read mark never goes back, and one beyond the list's head is refused")
    func readMark() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let stranger = try await test.person("stranger")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk"), .add("bread", 2), .add("eggs", 3)], to: list, by: alice)
            let beyond = SequenceNumber(rawValue: 4)
            #expect(
                await failure { try await test.store.markRead(list, through: beyond, by: alice.account) }
                    == "readMarkOfTheFuture")
            for (mark, expected) in [(2, 2), (1, 2), (3, 3), (0, 3)] as [(Int64, Int64)] {
                let through = try await test.store.markRead(
                    list, through: SequenceNumber(rawValue: mark), by: alice.account)
                #expect(through.rawValue == expected)
            }
            #expect(try await test.store.lists(of: alice.account)[0].readThrough?.rawValue == 3)
            #expect(try await test.store.share(of: list, for: alice.account).reads?.map(\.through.rawValue) == [3])
            #expect(
                await failure { try await test.store.markRead(list, through: .start, by: stranger.account) }
                    == "notOnList")
        }
    }

    @Test("marks that race leave the farthest")
    func race() async throws {
        try await TestStore.with(connections: 6) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload((1...20).map { .add("item", $0) }, to: list, by: alice)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for mark in (1...20).shuffled() {
                    group.addTask {
                        _ = try await test.store.markRead(
                            list, through: SequenceNumber(rawValue: Int64(mark)), by: alice.account)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await test.store.lists(of: alice.account)[0].readThrough?.rawValue == 20)
        }
    }
}
