import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Invitations", .timeLimit(.minutes(20)))
struct InvitationTests {
    @Test("a list is made with its share in one step, and the same again is the same")
    func atomicShare() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let id = ListID.version7(at: .now, random: RandomBits.random)
            let people = [NewInvitation.random("bob@example.com"), .random(nil)]
            let first = try await test.store.createList(id, owner: alice.account, invitations: people, limit: 100)
            #expect(
                first.isNew && first.list.role == .owner && first.invitations.map(\.email) == ["bob@example.com", nil])
            #expect(try await test.shares(id, seenBy: alice) == [["alice accepted", "bob@example.com invited"]])
            let second = try await test.store.createList(id, owner: alice.account, invitations: people, limit: 100)
            #expect(!second.isNew && second.invitations == first.invitations && second.list == first.list)
            #expect(
                await failure {
                    try await test.store.createList(
                        id, owner: alice.account, invitations: [.random("carol@example.com")], limit: 100)
                } == "alreadyShared")
            #expect(try await test.stream(id, seenBy: alice).count == 1)
        }
    }

    @Test("a list that nobody is on yet is shared by the same call, and one whose share is refused isn't made")
    func shareLater() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let made = try await test.store.createList(
                list, owner: alice.account, invitations: [.random("bob@example.com")], limit: 100)
            #expect(!made.isNew && made.invitations.count == 1)

            let id = ListID.version7(at: .now, random: RandomBits.random)
            let many = (1...3).map { NewInvitation.random("guest\($0)@example.com") }
            #expect(
                await failure {
                    try await test.store.createList(id, owner: alice.account, invitations: many, limit: 3)
                } == "tooManyParticipants")
            #expect(await failure { try await test.store.state(of: id, for: alice.account) } == "notOnList")
        }
    }

    @Test("the same secret again makes no second invitation, and opens nothing else")
    func sameSecret() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (list, other) = (try await test.list(of: alice), try await test.list(of: alice))
            let invitation = NewInvitation.random("bob@example.com")
            let first = try await test.store.invite(invitation, to: list, by: alice.account, limit: 100)
            #expect(try await test.store.invite(invitation, to: list, by: alice.account, limit: 100) == first)
            #expect(try await test.store.invitations(to: list, for: alice.account).map(\.id) == [first.id])
            var elsewhere = invitation
            elsewhere.email = nil
            for (invitation, list) in [(elsewhere, list), (invitation, other)] {
                #expect(
                    await failure {
                        try await test.store.invite(invitation, to: list, by: alice.account, limit: 100)
                    } == "secretTaken")
            }
        }
    }

    @Test("the owner sees an invited person's address, and not whether it has an account")
    func noOracle() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            for email in ["Bob@Example.com", "nobody@example.com"] {
                _ = try await test.invite(email, to: list, of: alice)
            }
            let invited = try await test.store.share(of: list, for: alice.account).share.participants.dropFirst()
            #expect(invited.map(\.email) == ["Bob@Example.com", "nobody@example.com"])
            #expect(invited.allSatisfy { $0.account == nil && $0.name == nil })
            // The list knows everybody who was on it.
            try await test.add(bob, to: list, of: alice)
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            let share = try await test.store.share(of: list, for: alice.account).share
            #expect(
                share.participants.contains { $0.account == bob.account && $0.name == "bob" && $0.status == .invited })
        }
    }

    @Test("an invitation that has expired opens nothing, and the stream says once that it ended")
    func expiry() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let secrets = [
                try await test.invite("bob@example.com", to: list, of: alice),
                try await test.invite(nil, to: list, of: alice),
            ]
            try await test.add(carol, to: list, of: alice)
            _ = try await test.pool.withConnection {
                try await $0.execute("UPDATE invitation SET expires_at = now() - interval '1 second'")
            }
            for secret in secrets {
                #expect(
                    await failure {
                        try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
                    } == "unknownInvitation")
            }
            #expect(try await test.store.invitations(to: list, for: alice.account).isEmpty)
            var told: [ListID] = []
            for _ in 1...2 { try await test.store.endExpiredInvitations { told.append($0) } }
            #expect(told == [list])
            #expect(try await test.shares(list, seenBy: alice).last == ["alice accepted", "carol accepted"])
            let activity = try await test.store.activity(
                of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 1)
            #expect(activity.items.map(\.kind) == [.invitationEnded])
        }
    }

    @Test("a withdrawn invitation can't be used, and a person who joined by it stays")
    func withdrawn() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let secret = try await test.add(bob, to: list, of: alice)
            let open = try await test.store.invitations(to: list, for: alice.account)
            #expect(open.map(\.email) == ["bob@example.com"] && open[0].accepted)
            #expect(
                await failure { try await test.store.withdraw(open[0].id, to: list, by: bob.account) } == "ownerOnly")
            for _ in 1...2 { try await test.store.withdraw(open[0].id, to: list, by: alice.account) }
            #expect(try await test.store.lists(of: bob.account).map(\.id) == [list])
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            #expect(
                await failure {
                    try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
                } == "unknownInvitation")
            #expect(try await test.shares(list, seenBy: alice).last == ["alice accepted", "bob left"])
            let other = try await test.list(of: alice)
            #expect(
                await failure { try await test.store.withdraw(open[0].id, to: other, by: alice.account) }
                    == "noSuchInvitation")
        }
    }

    @Test("the invited person declines, the owner sees it, and the invitation ends")
    func declining() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let secrets = [
                try await test.invite("bob@example.com", to: list, of: alice),
                try await test.invite("bob@example.com", to: list, of: alice),
            ]
            #expect(
                await failure { try await test.store.declineInvitation(secretHash: secrets[0], by: carol.account) }
                    == "unknownInvitation")
            for _ in 1...2 { try await test.store.declineInvitation(secretHash: secrets[0], by: bob.account) }
            #expect(
                try await test.shares(list, seenBy: alice) == [
                    ["alice accepted", "bob@example.com invited"], ["alice accepted", "bob@example.com declined"],
                ])
            for secret in secrets {
                #expect(
                    await failure {
                        try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
                    } == "unknownInvitation")
            }
            // The owner may ask again.
            try await test.add(bob, to: list, of: alice)
            let again = try await test.invite("bob@example.com", to: list, of: alice)
            #expect(
                await failure { try await test.store.declineInvitation(secretHash: again, by: bob.account) }
                    == "alreadyOnList")
        }
    }

    @Test("declining a one-time link uses it up")
    func decliningLink() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (bob, carol) = (try await test.person("bob"), try await test.person("carol"))
            let list = try await test.list(of: alice)
            let link = try await test.invite(nil, to: list, of: alice)
            try await test.store.declineInvitation(secretHash: link, by: bob.account)
            #expect(
                await failure {
                    try await test.store.acceptInvitation(secretHash: link, by: carol.account, limit: 100)
                } == "unknownInvitation")
            #expect(try await test.stream(list, seenBy: alice).isEmpty)
        }
    }

    @Test("the owner's latest word about a person counts for each of their invitations")
    func latestPermission() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let older = try await test.invite("bob@example.com", to: list, of: alice, .readWrite)
            _ = try await test.invite("bob@example.com", to: list, of: alice, .readOnly)
            let joined = try await test.store.acceptInvitation(secretHash: older, by: bob.account, limit: 100)
            #expect(joined.permission == .readOnly)
        }
    }

    @Test("open invitations can't pile up")
    func pile() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            for _ in 1...10 { _ = try await test.invite(nil, to: list, of: alice, limit: 2) }
            #expect(
                await failure { try await test.invite(nil, to: list, of: alice, limit: 2) } == "tooManyParticipants")
        }
    }

    @Test("a list that can't be changed doesn't keep the expired invitations of others")
    func oneListFails() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            var lists = [try await test.list(of: alice), try await test.list(of: alice)]
            lists.sort()
            for list in lists { _ = try await test.invite("bob@example.com", to: list, of: alice) }
            try await test.run(
                """
                UPDATE invitation SET expires_at = now() - interval '1 second';
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON list
                    FOR EACH ROW WHEN (NEW.id = '\(lists[0])') EXECUTE FUNCTION refuse()
                """)
            var told: [ListID] = []
            #expect(await failure { try await test.store.endExpiredInvitations { told.append($0) } } != "nothing")
            #expect(told == [lists[1]])
        }
    }
}

extension NewInvitation {
    fileprivate static func random(_ email: String?) -> NewInvitation {
        NewInvitation(
            email: email.map { EmailAddress(unchecked: $0) }, permission: .readWrite,
            secretHash: (0..<32).map { _ in .random(in: .min ... .max) })
    }
}

extension ActivityItem {
    /// The event of a participant; nil for an entry.
    var kind: ParticipantChange.Kind? {
        if case .participant(let change) = event { change.kind } else { nil }
    }
}
