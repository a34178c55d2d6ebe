import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Deleting an account", .timeLimit(.minutes(20)))
struct AccountDeletionTests {
    @Test("a list goes to the participant who may change it and has been on it longest")
    func heir() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (reader, bob, carol) = (
                try await test.person("reader"), try await test.person("bob"), try await test.person("carol")
            )
            let list = try await test.list(of: alice)
            try await test.add(reader, to: list, of: alice, .readOnly)
            try await test.add(bob, to: list, of: alice)
            try await test.add(carol, to: list, of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            for _ in 1...2 { try await test.store.deleteAccount(alice.account) }
            #expect(try await test.store.lists(of: bob.account).map(\.role) == [.owner])
            #expect(try await test.store.lists(of: carol.account).map(\.role) == [.participant])
            #expect(try await test.entries(list, seenBy: bob).map(\.author) == [alice.account])
            let activity = try await test.store.activity(
                of: list, for: bob.account, before: nil, by: nil, of: nil, limit: 2)
            #expect(Set(activity.items.map(\.kind)) == [.becameOwner, .accountDeleted, nil])
        }
    }

    @Test("a list that nobody else may change ends with a reason for its people; a list without other people is gone")
    func ending() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let reader = try await test.person("reader")
            let (shared, own) = (try await test.list(of: alice), try await test.list(of: alice))
            try await test.add(reader, to: shared, of: alice, .readOnly)
            try await test.upload([.add("milk")], to: own, by: alice)
            try await test.store.deleteAccount(alice.account)
            #expect(
                await failure { try await test.store.state(of: shared, for: reader.account) }
                    == "gone(TrolleyWire.ListGoneReason.accountDeleted)")
            for table in ["entry", "event", "member", "invitation"] {
                let rows = try await test.pool.withConnection { connection in
                    try await connection.execute(Statement(name: "t_\(table)", sql: "SELECT FROM \(table)"))
                        .count
                }
                #expect(rows == 0, "\(table)")
            }
        }
    }

    @Test("the account leaves other people's lists; its changes stay there, but not its name")
    func redaction() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            // Invited with another spelling of the address, declined once, left once, and came back.
            let first = try await test.invite("BOB@example.com", to: list, of: alice)
            try await test.store.declineInvitation(secretHash: first, by: bob.account)
            let secret = try await test.add(bob, to: list, of: alice)
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            _ = try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
            try await test.upload([.add("milk")], to: list, by: bob)
            let before = try await test.stream(list, seenBy: alice).count
            try await test.store.deleteAccount(bob.account)

            let stream = try await test.stream(list, seenBy: alice)
            #expect(stream.map(\.sequence.rawValue) == Array(1...Int64(before + 1)))
            let activity = try await test.store.activity(
                of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 100)
            let page = ActivityPage(activity: activity.items, next: nil)
            let share = try await test.store.share(of: list, for: alice.account).share
            for text in ["\(stream)", String(decoding: page.json, as: UTF8.self), "\(share)"] {
                #expect(!text.lowercased().contains("bob"), "\(text)")
            }
            #expect(
                activity.items.map(\.kind) == [
                    .accountDeleted, nil, .joined, .left, .joined, .invited, .declined, .invited,
                ])
            #expect(try await test.entries(list, seenBy: alice).count == 1)
            #expect(share.participants.map(\.name) == ["alice"])
        }
    }

    @Test("it is signed out everywhere, its invitations end on both sides, and its address can be used again")
    func afterwards() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let carol = try await test.person("carol")
            let (ours, hers) = (try await test.list(of: alice), try await test.list(of: carol))
            try await test.add(bob, to: ours, of: alice)
            let byAlice = try await test.invite("carol@example.com", to: ours, of: alice)
            let forAlice = try await test.invite("alice@example.com", to: hers, of: carol)
            try await test.store.verifyEmail(of: alice.account)
            try await test.store.deleteAccount(alice.account)
            #expect(try await test.store.devices(seenBy: alice).isEmpty)
            #expect(
                await failure {
                    try await test.store.acceptInvitation(secretHash: byAlice, by: carol.account, limit: 100)
                } == "unknownInvitation")
            let again = try await test.person("alice")
            #expect(
                await failure {
                    try await test.store.acceptInvitation(secretHash: forAlice, by: again.account, limit: 100)
                } == "unknownInvitation")
            #expect(try await test.store.lists(of: again.account).isEmpty)
            #expect(try await test.shares(hers, seenBy: carol).last == ["carol accepted"])
        }
    }

    @Test("no race leaves a member without an account on a list")
    func race() async throws {
        try await TestStore.with(connections: 6) { test in
            let alice = try await test.person("alice")
            for round in 1...5 {
                let bob = try await test.person("bob\(round)")
                let list = try await test.list(of: alice)
                let secret = try await test.invite("bob\(round)@example.com", to: list, of: alice)
                await withTaskGroup(of: String.self) { group in
                    group.addTask {
                        await failure {
                            try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
                        }
                    }
                    group.addTask {
                        await failure {
                            try await test.store.createList(
                                ListID.version7(at: .now, random: RandomBits.random), owner: bob.account)
                        }
                    }
                    group.addTask { await failure { try await test.store.deleteAccount(bob.account) } }
                    for await _ in group {}
                }
                // A change in between made the transaction give way, so the test asks again.
                try await test.store.deleteAccount(bob.account)
            }
            let orphans = try await test.pool.withConnection {
                try await $0.execute(
                    "SELECT FROM member WHERE NOT EXISTS (SELECT FROM account WHERE account.id = member.account_id)")
            }
            #expect(orphans.isEmpty)
        }
    }
}
