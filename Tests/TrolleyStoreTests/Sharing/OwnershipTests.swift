import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Owning a list", .timeLimit(.minutes(20)))
struct OwnershipTests {
    @Test("a list is handed over: the stream and the Activity record it, and the former owner may still change it")
    func handingOver() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice, .readOnly)
            for _ in 1...2 { _ = try await test.store.handOver(list, to: bob.account, by: alice.account) }
            let share = try await test.store.share(of: list, for: alice.account).share.participants
            #expect(share.map(\.name) == ["bob", "alice"] && share.map(\.role) == [.owner, .participant])
            #expect(share.allSatisfy { $0.permission == .readWrite && $0.status == .accepted })
            #expect(try await test.upload([.add("milk")], to: list, by: alice).statuses == [.applied])
            #expect(await failure { try await test.store.stopSharing(list, by: alice.account) } == "ownerOnly")
            let activity = try await test.store.activity(
                of: list, for: bob.account, before: nil, by: nil, of: nil, limit: 9)
            #expect(activity.items.map(\.kind) == [nil, .becameOwner, .joined, .invited])
            try await test.store.deleteList(list, by: alice.account)
            #expect(try await test.store.lists(of: bob.account).map(\.role) == [.owner])
        }
    }

    @Test("only the owner hands a list over, and only to a participant")
    func whoMayHandOver() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            _ = try await test.invite("carol@example.com", to: list, of: alice)
            let before = try await test.stream(list, seenBy: alice)
            #expect(
                await failure { try await test.store.handOver(list, to: bob.account, by: bob.account) } == "ownerOnly")
            #expect(
                await failure { try await test.store.handOver(list, to: bob.account, by: carol.account) } == "notOnList"
            )
            #expect(
                await failure { try await test.store.handOver(list, to: carol.account, by: alice.account) }
                    == "unknownParticipant")
            #expect(try await test.stream(list, seenBy: alice) == before)
            #expect(try await test.store.lists(of: alice.account).map(\.role) == [.owner])
        }
    }

    @Test("the owner changes what a participant may do, and leaving and coming back doesn't undo it")
    func permission() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let secret = try await test.add(bob, to: list, of: alice)
            for _ in 1...2 { _ = try await test.store.permit(.readOnly, to: bob.account, on: list, by: alice.account) }
            #expect(await failure { try await test.upload([.add("milk")], to: list, by: bob) } == "readOnly")
            let activity = try await test.store.activity(
                of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 9)
            #expect(activity.items.map(\.kind) == [.permissionChanged, .joined, .invited])
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            let back = try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
            #expect(back.permission == .readOnly)

            let refusals: [(Session, AccountID, String)] = [
                (bob, bob.account, "ownerOnly"), (carol, bob.account, "notOnList"),
                (alice, alice.account, "ownerHasFullPermission"), (alice, carol.account, "unknownParticipant"),
            ]
            for (person, whom, expected) in refusals {
                #expect(
                    await failure { try await test.store.permit(.readWrite, to: whom, on: list, by: person.account) }
                        == expected)
            }
        }
    }

    @Test("when the last participant is removed, the list isn't shared any more and can be shared again")
    func lastOneGone() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            #expect(try await test.store.share(of: list, for: alice.account).share.isShared)
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            #expect(try await !test.store.share(of: list, for: alice.account).share.isShared)
            let invitation = NewInvitation(
                email: EmailAddress(unchecked: "bob@example.com"), permission: .readWrite,
                secretHash: Array(repeating: 7, count: 32))
            let shared = try await test.store.createList(
                list, owner: alice.account, invitations: [invitation], limit: 100)
            #expect(shared.invitations.count == 1)
        }
    }

    @Test("leaving again is no error, whatever has become of the list")
    func leavingAgain() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.store.stopSharing(list, by: alice.account)
            let stream = try await test.stream(list, seenBy: alice)
            func leave() async throws {
                try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
                try await test.store.deleteList(list, by: bob.account)
            }
            try await leave()
            // Nobody else's list is touched, and nothing is recorded.
            #expect(try await test.stream(list, seenBy: alice) == stream)
            #expect(try await test.store.lists(of: alice.account).map(\.id) == [list])
            #expect(try await test.store.lists(of: bob.account).isEmpty)
            try await test.store.deleteList(list, by: alice.account)
            try await leave()
            let stranger = try await test.person("carol")
            let refused = await failure {
                try await test.store.removeParticipant(stranger.account, from: list, by: stranger.account)
            }
            #expect(refused == "notOnList", "who never was on the list can't leave it")
        }
    }
}
