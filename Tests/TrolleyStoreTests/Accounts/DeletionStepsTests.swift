import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Deleting an account in steps", .timeLimit(.minutes(20)))
struct DeletionStepsTests {
    @Test("after the first step the person can do nothing, and the account is gone once the others are done")
    func nothing() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (ours, theirs) = (try await test.list(of: alice), try await test.list(of: alice))
            try await test.add(bob, to: ours, of: alice)
            let secret = try await test.invite(nil, to: theirs, of: alice)
            try await test.store.beginDeletion(of: bob.account)
            #expect(try await test.store.devices(seenBy: bob).isEmpty)
            #expect(
                await failure {
                    try await test.store.createDevice(
                        account: bob.account, name: "other", tokenHash: Array(repeating: 1, count: 32))
                } != "nothing")
            let email = EmailAddress(unchecked: "bob@example.com")
            #expect(try await test.store.passwordHash(of: email) == nil)
            _ = await failure {
                try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 100)
            }
            #expect(try await test.store.share(of: theirs, for: alice.account).share.participants.count == 1)
            #expect(try await test.store.continueDeletions())
            #expect(try await !test.store.continueDeletions())
            #expect(try await test.store.share(of: ours, for: alice.account).share.participants.count == 1)
            #expect(await failure { try await test.person("bob") } == "nothing")
        }
    }

    @Test("a deletion that ends in the middle of a list is taken up again, and no name stays")
    func again() async throws {
        try await TestStore.with { test in
            let bob = try await test.person("bob")
            // On one list he was, and is invited again by the address that he had. On the other he is.
            let (left, stayed) = (
                try await LargeShare(of: 40, in: test, ownedBy: "ann"),
                try await LargeShare(of: 40, in: test, ownedBy: "eve")
            )
            for share in [left, stayed] { try await test.add(bob, to: share.list, of: share.owner) }
            try await test.store.removeParticipant(bob.account, from: left.list, by: bob.account)
            for share in [left, stayed] { try await share.permit(60) }
            try await test.run(
                "UPDATE account SET email = 'robert@example.com', email_key = 'robert@example.com' WHERE name = 'bob'")
            try await test.run("INSERT INTO account_change (account_id) VALUES ('\(bob.account)')")
            try await test.store.continueAccountChanges()
            _ = try await test.invite("bob@example.com", to: left.list, of: left.owner)
            try await left.permit(20)
            // One list has states as they were stored before they had differences.
            try await stayed.makeOld()
            // The third page of the first list can't be written.
            try await test.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON event
                    FOR EACH ROW WHEN (NEW.list_id = '\(left.list)' AND NEW.sequence > 60) EXECUTE FUNCTION refuse()
                """)
            let states = try await left.all().states.count
            #expect(await failure { try await test.store.deleteAccount(bob.account) } != "nothing")
            let bobs = """
                SELECT count(*) FROM event
                WHERE (change::text ~* '"(bob|robert)' OR difference::text ~* '"(bob|robert)')
                """
            #expect(try await left.number("\(bobs) AND list_id = '\(left.list)' AND sequence <= 60") == 0)
            #expect(try await left.number(bobs) > 0)
            // The states that are left may not have them all.
            #expect(
                try await left.number(
                    """
                    SELECT count(*) FROM account_deletion
                    WHERE addresses @> ARRAY['bob@example.com', 'robert@example.com']
                    """) == 1)
            try await test.run("DROP TRIGGER refuse ON event")
            #expect(try await test.store.continueDeletions())
            #expect(try await left.number(bobs) == 0)
            let activity = try await test.store.activity(
                of: stayed.list, for: stayed.owner.account, before: nil, by: bob.account, of: nil, limit: 5)
            // The invitation of an address that nobody has proved stays open.
            #expect(activity.items.map(\.kind) == [.accountDeleted, .invited])
            #expect(try await stayed.all().states.last?.participants.map(\.status).suffix(2) == [.invited, .left])
            // Every state can still be put together.
            #expect(try await left.all().states.count == states)
            #expect(try await test.store.passwordHash(of: bob.account) == nil)
        }
    }

    @Test("an account that can't be deleted yet holds up no other one")
    func oneFails() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            var leavers = [try await test.person("bob"), try await test.person("cleo")]
            leavers.sort { $0.account < $1.account }
            var lists: [ListID] = []
            for leaver in leavers {
                lists.append(try await test.list(of: alice))
                try await test.add(leaver, to: lists[lists.count - 1], of: alice)
                try await test.store.beginDeletion(of: leaver.account)
            }
            try await test.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON list
                    FOR EACH ROW WHEN (NEW.id = '\(lists[0])') EXECUTE FUNCTION refuse()
                """)
            #expect(await failure { try await test.store.continueDeletions() } != "nothing")
            let left = try await test.store.share(of: lists[1], for: alice.account).share.participants
            #expect(left.map(\.name) == ["alice"])
        }
    }

    @Test("within its time a request deletes list by list; what is left is done later, by one process")
    func bounded() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            var lists: [ListID] = []
            for _ in 0..<3 {
                lists.append(try await test.list(of: alice))
                try await test.add(bob, to: lists[lists.count - 1], of: alice)
            }
            try await test.store.beginDeletion(of: bob.account)
            #expect(try await !test.store.finishDeletion(of: bob.account, within: .zero))
            var counts: [Int] = []
            for list in lists.sorted() {
                counts.append(try await test.store.share(of: list, for: alice.account).share.participants.count)
            }
            #expect(counts == [1, 2, 2])
            // Another process works on it.
            try await test.run("UPDATE account_deletion SET claimed_until = now() + interval '1 hour'")
            #expect(try await !test.store.continueDeletions())
            #expect(try await !test.store.finishDeletion(of: bob.account))
            try await test.run("UPDATE account_deletion SET claimed_until = now() - interval '1 second'")
            #expect(try await test.store.continueDeletions())
            for list in lists {
                #expect(try await test.shares(list, seenBy: alice).last == ["alice accepted", "? left"])
            }
        }
    }
}
