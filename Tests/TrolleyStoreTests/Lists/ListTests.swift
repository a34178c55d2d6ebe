import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Lists", .timeLimit(.minutes(20)))
struct ListTests {
    let id = ListID.version7(at: .now, random: RandomBits.random)

    @Test("making a list twice makes one")
    func twice() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let first = try await test.store.createList(id, owner: alice.account)
            let second = try await test.store.createList(id, owner: alice.account)
            #expect(first.isNew && !second.isNew)
            #expect(first.list == second.list && first.list.role == .owner && first.list.head == .start)
            #expect(try await test.store.lists(of: alice.account) == [first.list])
        }
    }

    @Test("one of eight concurrent creations of a list succeeds")
    func atOnce() async throws {
        try await TestStore.with(connections: 8) { test in
            let alice = try await test.person("alice")
            let news = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await test.store.createList(id, owner: alice.account).isNew } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(news.count { $0 } == 1)
        }
    }

    @Test("an id that another list has is taken, also for its participants, and stays taken when it is deleted")
    func taken() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, stranger) = (try await test.person("bob"), try await test.person("stranger"))
            _ = try await test.store.createList(id, owner: alice.account)
            try await test.add(bob, to: id, of: alice)
            for person in [bob, stranger] {
                #expect(await failure { try await test.store.createList(id, owner: person.account) } == "listIDTaken")
            }
            try await test.store.deleteList(id, by: alice.account)
            #expect(await failure { try await test.store.createList(id, owner: stranger.account) } == "listIDTaken")
            #expect(
                await failure { try await test.store.createList(id, owner: alice.account) }
                    == "gone(TrolleyWire.ListGoneReason.deleted)")
        }
    }

    @Test("the owner deletes a list for everybody, and doing it again is no error")
    func deleting() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, stranger) = (try await test.person("bob"), try await test.person("stranger"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            #expect(
                await failure { try await test.store.deleteList(list, by: stranger.account) } == "notOnList")
            try await test.store.deleteList(list, by: alice.account)
            try await test.store.deleteList(list, by: alice.account)
            try await test.store.deleteList(list, by: bob.account)
            for person in [alice, bob] {
                #expect(try await test.store.lists(of: person.account).isEmpty)
                #expect(
                    await failure { try await test.store.state(of: list, for: person.account) }
                        == "gone(TrolleyWire.ListGoneReason.deleted)")
            }
            #expect(await failure { try await test.store.state(of: list, for: stranger.account) } == "notOnList")
        }
    }

    @Test("a participant who deletes a list leaves it, and the others keep it")
    func leaving() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.store.deleteList(list, by: bob.account)
            #expect(try await test.store.lists(of: bob.account).isEmpty)
            #expect(try await test.store.lists(of: alice.account).map(\.id) == [list])
            #expect(try await test.shares(list, seenBy: alice).last == ["alice accepted", "bob invited"])
        }
    }
}
