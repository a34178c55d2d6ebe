import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

/// A link that a whole household uses.
@Suite("Links for several people", .timeLimit(.minutes(20)))
struct LinkForSeveralTests {
    private func link(for uses: Int?, to list: ListID, of owner: Session, in test: TestStore) async throws -> [UInt8] {
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        try await test.store.invite(
            NewInvitation(email: nil, uses: uses, permission: .readWrite, secretHash: secret), to: list,
            by: owner.account, limit: 100)
        return secret
    }

    private func accept(_ secret: [UInt8], _ person: Session, _ test: TestStore) async -> String {
        await failure {
            try await test.store.acceptInvitation(secretHash: secret, by: person.account, limit: 100)
        }
    }

    @Test("as many people join by it as it is for, each once, and what is left of it is shown")
    func several() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await link(for: 2, to: list, of: alice, in: test)
            let (bob, cleo, dan) = (
                try await test.person("bob"), try await test.person("cleo"), try await test.person("dan")
            )
            #expect(await accept(secret, bob, test) == "nothing")
            #expect(await accept(secret, bob, test) == "nothing", "again")
            var open = try await test.store.invitations(to: list, for: alice.account)
            #expect(open.map(\.uses) == [2] && open.map(\.used) == [1])
            #expect(try await test.store.previewInvitation(secretHash: secret, for: nil).owner == "alice")
            #expect(await accept(secret, cleo, test) == "nothing")
            #expect(await accept(secret, dan, test) == "\(StoreError.unknownInvitation)")
            // Those who have used it may return by it until the owner withdraws it.
            open = try await test.store.invitations(to: list, for: alice.account)
            #expect(open.map(\.used) == [2])
            try await test.store.withdraw(open[0].id, to: list, by: alice.account)
            #expect(try await test.store.invitations(to: list, for: alice.account).isEmpty)
            #expect(try await test.store.share(of: list, for: alice.account).share.participants.count == 3)
        }
    }

    @Test("of people who use the last place at the same moment, one gets it")
    func together() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await link(for: 3, to: list, of: alice, in: test)
            var people: [Session] = []
            for number in 0..<8 { people.append(try await test.person("person\(number)")) }
            let outcomes = await withTaskGroup(of: String.self) { group in
                for person in people { group.addTask { await accept(secret, person, test) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == "nothing" } == 3)
            #expect(try await test.store.share(of: list, for: alice.account).share.participants.count == 4)
        }
    }

    @Test("who leaves may return by it, whom the owner removes may not, and declining takes it from nobody")
    func returning() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let (bob, cleo) = (try await test.person("bob"), try await test.person("cleo"))
            let secret = try await link(for: 2, to: list, of: alice, in: test)
            try await test.store.declineInvitation(secretHash: secret, by: cleo.account)
            #expect(await accept(secret, bob, test) == "nothing")
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            #expect(await accept(secret, bob, test) == "nothing")
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            #expect(await accept(secret, bob, test) == "\(StoreError.unknownInvitation)")
            #expect(await accept(secret, cleo, test) == "nothing")
            // An invitation of his own brings Bob back.
            let own = try await link(for: nil, to: list, of: alice, in: test)
            #expect(await accept(own, bob, test) == "nothing")
        }
    }

    @Test("withdrawn, or when sharing stops, it opens nothing, and who has joined by a withdrawn one stays")
    func withdrawn() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let (bob, cleo) = (try await test.person("bob"), try await test.person("cleo"))
            let (first, second) = (
                try await link(for: 5, to: list, of: alice, in: test),
                try await link(for: 5, to: list, of: alice, in: test)
            )
            #expect(await accept(first, bob, test) == "nothing")
            let open = try await test.store.invitations(to: list, for: alice.account)
            try await test.store.withdraw(try #require(open.first).id, to: list, by: alice.account)
            #expect(await accept(first, cleo, test) == "\(StoreError.unknownInvitation)")
            #expect(try await test.store.share(of: list, for: alice.account).share.participants.count == 2)
            try await test.store.stopSharing(list, by: alice.account)
            #expect(await accept(second, cleo, test) == "\(StoreError.unknownInvitation)")
        }
    }

    @Test("where signing up needs an invitation, as many people sign up by it as it is for, and join")
    func signingUp() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await link(for: 2, to: list, of: alice, in: test)
            var people: [AccountID] = []
            for name in ["bob", "cleo"] {
                people.append(
                    try await test.store.createAccount(
                        email: EmailAddress(unchecked: "\(name)@example.com"), name: name, passwordHash: "x",
                        invitation: secret
                    ).id)
            }
            #expect(
                await failure {
                    try await test.store.createAccount(
                        email: EmailAddress(unchecked: "dan@example.com"), name: "dan", passwordHash: "x",
                        invitation: secret)
                } == "\(StoreError.signUpNeedsInvitation)")
            for person in people {
                _ = try await test.store.acceptInvitation(secretHash: secret, by: person, limit: 100)
            }
            #expect(try await test.store.share(of: list, for: alice.account).share.participants.count == 3)
        }
    }

    @Test("once somebody has used it, it shows no items without a session: who was removed has it, too")
    func lookingFromOutside() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            let secret = try await link(for: 5, to: list, of: alice, in: test)
            let (bob, cleo) = (try await test.person("bob"), try await test.person("cleo"))
            #expect(try await test.store.previewInvitation(secretHash: secret, for: nil).items == ["milk"])
            #expect(await accept(secret, bob, test) == "nothing")
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            let outside = try await test.store.previewInvitation(secretHash: secret, for: nil)
            #expect(outside.items == nil && outside.wanted == nil && outside.owner == "alice")
            #expect(
                await failure { try await test.store.previewInvitation(secretHash: secret, for: bob.account) }
                    == "unknownInvitation")
            #expect(try await test.store.previewInvitation(secretHash: secret, for: cleo.account).items == ["milk"])
        }
    }

    @Test("a former owner who is removed doesn't return by a link of their own")
    func formerOwner() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let secrets = [
                try await link(for: nil, to: list, of: alice, in: test),
                try await link(for: 3, to: list, of: alice, in: test),
            ]
            _ = try await test.store.handOver(list, to: bob.account, by: alice.account)
            try await test.store.removeParticipant(alice.account, from: list, by: bob.account)
            for secret in secrets { #expect(await accept(secret, alice, test) == "\(StoreError.unknownInvitation)") }
            let left = try await test.store.invitations(to: list, for: bob.account)
            #expect(left.allSatisfy { $0.email != nil }, "no link")
        }
    }
}
