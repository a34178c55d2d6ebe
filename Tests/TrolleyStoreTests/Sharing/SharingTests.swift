import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Sharing", .timeLimit(.minutes(20)))
struct SharingTests {
    @Test("every state of the share is in the list's stream, in its place")
    func states() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            _ = try await test.invite("new@example.com", to: list, of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            #expect(
                try await test.shares(list, seenBy: alice) == [
                    ["alice accepted", "new@example.com invited"],
                    ["alice accepted", "bob@example.com invited", "new@example.com invited"],
                    ["alice accepted", "bob accepted", "new@example.com invited"],
                    ["alice accepted", "new@example.com invited"],
                ])
            #expect(try await test.stream(list, seenBy: alice).map(\.sequence.rawValue) == [1, 2, 3, 4, 5])
        }
    }

    @Test("a new participant gets the list from its beginning")
    func joining() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            try await test.add(bob, to: list, of: alice, .readOnly)
            let seen = try await test.store.lists(of: bob.account)
            #expect(seen.map(\.id) == [list] && seen[0].role == .participant && seen[0].permission == .readOnly)
            let entries = try await test.entries(list, seenBy: bob)
            #expect(entries.count == 1)
            #expect(try await entries == test.entries(list, seenBy: alice))
        }
    }

    @Test("an invitation by name works again after leaving")
    func againAfterLeaving() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let secret = try await test.add(bob, to: list, of: alice)
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            #expect(await failure { try await test.store.state(of: list, for: bob.account) }.hasPrefix("gone"))
            _ = try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
            #expect(try await test.store.lists(of: bob.account).map(\.id) == [list])
            let all = try await test.store.changes(for: bob.account, after: [list: .start], limit: 10)
            #expect(all.gone.isEmpty && all.changeRanges.map(\.list) == [list])
        }
    }

    @Test("an invitation by name doesn't work again after the owner removed the person")
    func notAfterRemoval() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let secret = try await test.add(bob, to: list, of: alice)
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            #expect(await test.accepting(secret, by: bob) == "unknownInvitation")
        }
    }

    @Test("the owner can remove a person who has left or never joined: the invitation ends")
    func withdrawn() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let forBob = try await test.add(bob, to: list, of: alice)
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            #expect(await test.accepting(forBob, by: bob) == "unknownInvitation")

            let forCarol = try await test.invite("carol@example.com", to: list, of: alice)
            try await test.store.removeParticipant(carol.account, from: list, by: alice.account)
            #expect(await test.accepting(forCarol, by: carol) == "unknownInvitation")
            #expect(try await test.shares(list, seenBy: alice).last == ["alice accepted"])
        }
    }

    @Test("a one-time link lets one person in, again and again until they go")
    func oneTimeLink() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let link = try await test.invite(nil, to: list, of: alice)
            #expect(await test.accepting(link, by: bob) == "nothing")
            let before = try await test.stream(list, seenBy: alice)
            #expect(await test.accepting(link, by: bob) == "nothing")
            #expect(try await test.stream(list, seenBy: alice) == before)
            #expect(await test.accepting(link, by: carol) == "unknownInvitation")
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            #expect(await test.accepting(link, by: bob) == "unknownInvitation")
            #expect(await test.accepting(link, by: carol) == "unknownInvitation")
        }
    }

    @Test("a person who is on the list already doesn't use up a one-time link")
    func memberOpensLink() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let link = try await test.invite(nil, to: list, of: alice, .readOnly)
            let seen = try await test.store.acceptInvitation(secretHash: link, by: alice.account, limit: 100)
            #expect(seen.role == .owner && seen.permission == .readWrite)
            #expect(await test.accepting(link, by: bob) == "nothing")
        }
    }

    @Test("an invitation by address works only for its person, and a preview changes nothing")
    func wrongAccount() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            try await test.upload([.rename("Weekly shop")], to: list, by: alice)
            let secret = try await test.invite("BOB@Example.com", to: list, of: alice)
            let before = try await test.stream(list, seenBy: alice)
            #expect(await test.accepting(secret, by: carol) == "unknownInvitation")
            #expect(
                await failure { try await test.store.previewInvitation(secretHash: secret, for: carol.account) }
                    == "unknownInvitation")
            let look = try await test.store.previewInvitation(secretHash: secret, for: bob.account)
            #expect(look.name == "Weekly shop" && look.owner == "alice" && !look.accepted)
            #expect(try await test.stream(list, seenBy: alice) == before)
            #expect(await test.accepting(secret, by: bob) == "nothing")
            #expect(try await test.store.previewInvitation(secretHash: secret, for: bob.account).accepted)
        }
    }

    @Test("an invitation ends with its list")
    func listDeleted() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let secret = try await test.invite("bob@example.com", to: list, of: alice)
            try await test.store.deleteList(list, by: alice.account)
            #expect(await test.accepting(secret, by: bob) == "unknownInvitation")
        }
    }

    @Test("the number of people on a list is limited, including the owner and invited people")
    func limit() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let link = try await test.invite(nil, to: list, of: alice, limit: 3)
            let forBob = try await test.invite("bob@example.com", to: list, of: alice, limit: 3)
            _ = try await test.invite("dora@example.com", to: list, of: alice, limit: 3)
            let before = try await test.stream(list, seenBy: alice)
            #expect(
                await failure { try await test.invite("emil@example.com", to: list, of: alice, limit: 3) }
                    == "tooManyParticipants")
            #expect(await test.accepting(link, by: carol, limit: 3) == "tooManyParticipants")
            #expect(try await test.stream(list, seenBy: alice) == before)
            #expect(try await test.store.lists(of: carol.account).isEmpty)
            #expect(await test.accepting(forBob, by: bob, limit: 3) == "nothing")
            // A participant takes no additional place.
            _ = try await test.invite("bob@example.com", to: list, of: alice, limit: 3)
        }
    }

    @Test("only the owner invites and removes, and the owner stays")
    func rights() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol, stranger) = (
                try await test.person("bob"), try await test.person("carol"), try await test.person("stranger")
            )
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.add(carol, to: list, of: alice)
            let before = try await test.stream(list, seenBy: alice)
            #expect(await failure { try await test.invite("x@example.com", to: list, of: bob) } == "ownerOnly")
            #expect(await failure { try await test.invite("x@example.com", to: list, of: stranger) } == "notOnList")
            #expect(await test.removing(carol, from: list, by: bob) == "ownerOnly")
            #expect(await test.removing(alice, from: list, by: bob) == "ownerOnly")
            #expect(await test.removing(carol, from: list, by: stranger) == "notOnList")
            #expect(await test.removing(stranger, from: list, by: stranger) == "notOnList")
            #expect(await test.removing(alice, from: list, by: alice) == "ownerCannotLeave")
            #expect(await test.removing(stranger, from: list, by: alice) == "unknownParticipant")
            #expect(try await test.stream(list, seenBy: alice) == before)
        }
    }
}

extension TestStore {
    fileprivate func accepting(_ secret: [UInt8], by person: Session, limit: Int = 100) async -> String {
        await failure { try await store.acceptInvitation(secretHash: secret, by: person.account, limit: limit) }
    }

    fileprivate func removing(_ person: Session, from list: ListID, by other: Session) async -> String {
        await failure { try await store.removeParticipant(person.account, from: list, by: other.account) }
    }
}

extension JournalEntry {
    fileprivate static func rename(_ name: String) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: .renameList, fields: ["text": .string(name)],
            deviceSequence: 1)
    }
}
