import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

/// A person's new name and colour, as their lists show them.
@Suite("Changes of an account", .timeLimit(.minutes(20)))
struct AccountChangeTests {
    private func number(_ sql: String, _ test: TestStore) async throws -> Int64 {
        try await test.store.first(Statement(name: "", sql: sql)) { row throws(PostgresError) in
            try row.decode(Int64.self, at: 0)
        } ?? 0
    }

    /// The last state of a list's share in its stream, as 'name colour'.
    private func shown(_ list: ListID, _ test: TestStore) async throws -> [String] {
        let last = try await number(
            "SELECT coalesce(max(sequence), 0) FROM event WHERE list_id = '\(list)' AND change ->> 'type' = 'share'",
            test)
        let recorded = try await test.store.transaction { connection in
            try await connection.recordedShare(of: list, at: SequenceNumber(rawValue: last))
        }
        return (recorded?.state.participants ?? []).map { "\($0.name ?? "?") \($0.colour ?? "-")" }
    }

    @Test(
        "every list of the person shows the new name and colour; what is not named stays, and an empty colour is none")
    func everywhere() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (first, second) = (try await test.list(of: alice), try await test.list(of: bob))
            let own = try await test.list(of: bob)
            try await test.add(bob, to: first, of: alice)
            try await test.add(alice, to: second, of: bob)
            let changed = try await test.store.change(bob.account, name: "Robert", colour: "teal")
            #expect(changed.name == "Robert" && changed.colour == "teal")
            #expect(try await test.store.continueAccountChanges())
            #expect(try await !test.store.continueAccountChanges(), "it is done")
            #expect(try await shown(first, test) == ["alice -", "Robert teal"])
            #expect(try await shown(second, test) == ["Robert teal", "alice -"])
            #expect(try await shown(own, test).isEmpty, "a list that was never shared has no such state")
            #expect(try await test.store.change(bob.account, name: nil, colour: "").name == "Robert")
            try await test.store.continueAccountChanges()
            #expect(try await shown(first, test) == ["alice -", "Robert -"])
        }
    }

    @Test("a process that ends in the middle, or has no more time, leaves the rest to another one")
    func interrupted() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            var lists: [ListID] = []
            for _ in 0..<3 {
                lists.append(try await test.list(of: alice))
                try await test.add(bob, to: lists[lists.count - 1], of: alice)
            }
            lists.sort()
            _ = try await test.store.change(bob.account, name: "Robert", colour: nil)
            #expect(try await test.store.continueAccountChanges(within: .zero))
            #expect(try await shown(lists[0], test) == ["alice -", "bob -"])
            // The second list can't be changed.
            try await test.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON list
                    FOR EACH ROW WHEN (NEW.id = '\(lists[1])') EXECUTE FUNCTION refuse()
                """)
            #expect(await failure { try await test.store.continueAccountChanges() } != "nothing")
            #expect(try await shown(lists[0], test) == ["alice -", "Robert -"])
            #expect(try await shown(lists[1], test) == ["alice -", "bob -"])
            try await test.run("DROP TRIGGER refuse ON list")
            // Meanwhile the person has changed their mind: the first list gets the newer name, too.
            _ = try await test.store.change(bob.account, name: "Rob", colour: nil)
            #expect(try await test.store.continueAccountChanges())
            for list in lists { #expect(try await shown(list, test) == ["alice -", "Rob -"]) }
        }
    }

    @Test("a change that comes while lists are being told of an earlier one is told to all of them")
    func twice() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            _ = try await test.store.change(bob.account, name: "Robert", colour: nil)
            let number = try await number("SELECT number FROM account_change", test)
            _ = try await test.store.change(bob.account, name: "Rob", colour: nil)
            // What a process does that has read the earlier number.
            try await test.store.execute(AccountChangeSQL.advance, [bob.account, number, list])
            try await test.store.execute(AccountChangeSQL.finish, [bob.account, number])
            #expect(try await test.store.continueAccountChanges())
            #expect(try await shown(list, test) == ["alice -", "Rob -"])
        }
    }

    @Test("a list whose people have changed too often keeps the former name, and holds nothing up")
    func full() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.run("UPDATE list SET share_bytes = \(RecordedShare.bytesPerList)")
            _ = try await test.store.change(bob.account, name: "Robert", colour: nil)
            #expect(try await test.store.continueAccountChanges())
            #expect(try await shown(list, test) == ["alice -", "bob -"])
            #expect(try await !test.store.continueAccountChanges())
            let share = try await test.store.share(of: list, for: alice.account).share
            #expect(share.participants.map(\.name) == ["alice", "Robert"], "who asks the service is told")
        }
    }

    @Test("who was deleted keeps neither a name nor a colour in any state")
    func deleted() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            _ = try await test.store.change(bob.account, name: "Robert", colour: "vermilion")
            try await test.store.continueAccountChanges()
            try await test.store.deleteAccount(bob.account)
            let told = """
                SELECT count(*)
                FROM event
                WHERE change::text ~ 'Robert|vermilion' OR difference::text ~ 'Robert|vermilion'
                """
            #expect(try await number(told, test) == 0)
        }
    }

    @Test("renaming oneself again and again leaves room for the owner's changes of the same list's people")
    func roomForOthers() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.run("UPDATE list SET share_bytes = \(RecordedShare.bytesPerListForNames)")
            var told: [ListID] = []
            _ = try await test.store.change(bob.account, name: "Robert", colour: nil)
            try await test.store.continueAccountChanges { told.append($0) }
            #expect(told.isEmpty)
            #expect(try await shown(list, test) == ["alice -", "bob -"])
            _ = try await test.store.permit(.readOnly, to: bob.account, on: list, by: alice.account)
            #expect(try await shown(list, test) == ["alice -", "Robert -"], "the next state has the name as well")
        }
    }

    @Test("what stays as it was is told to no list")
    func unchanged() async throws {
        try await TestStore.with { test in
            let bob = try await test.person("bob")
            _ = try await test.store.change(bob.account, name: "bob", colour: nil)
            #expect(try await !test.store.continueAccountChanges())
        }
    }
}
