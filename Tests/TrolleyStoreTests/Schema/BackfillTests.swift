import Testing
import TrolleyJournal
import TrolleyMigrations
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Backfills", .timeLimit(.minutes(20)))
struct BackfillTests {
    /// Leaves the database as processes of an earlier version would.
    private func makeOld(_ test: TestStore) async throws {
        try await test.run(
            """
            UPDATE list SET mark_of = NULL, mark = NULL;
            UPDATE event SET type = NULL;
            UPDATE backfill SET finished_at = NULL;
            """)
    }

    private func count(_ test: TestStore, _ rows: String) async throws -> Int64 {
        try await test.pool.withConnection { connection in
            try await connection.execute(Query(unescaped: "SELECT count(*) FROM \(rows)"))[0].decode(at: 0)
        }
    }

    /// A list with a state of the share and with discards in its stream.
    private func list(of alice: Session, and bob: Session, _ test: TestStore) async throws -> ListID {
        let list = try await test.list(of: alice)
        let milk = JournalEntry.add("milk")
        let delete = JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: .delete, item: milk.item, deviceSequence: 2)
        try await test.upload([milk], to: list, by: alice)
        try await test.add(bob, to: list, of: alice)
        try await test.upload([delete], to: list, by: alice)
        let later = Timestamp.now.advanced(byMilliseconds: 60_000)
        #expect(try await test.store.compress(list, olderThan: later)?.discarded == 2)
        return list
    }

    @Test("rows of an earlier version are completed a page of lists at a time, and then nothing is left")
    func pages() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            for number in 1...5 {
                if number == 1 {
                    _ = try await list(of: alice, and: bob, test)
                } else {
                    try await test.upload([.add("milk")], to: try await test.list(of: alice), by: alice)
                }
            }
            #expect(try await test.store.continueBackfills().isEmpty, "a new database has nothing to complete")
            try await makeOld(test)
            let first = try await test.store.continueBackfills(lists: 2)
            #expect(
                first.map(\.description) == [
                    "backfill event_type has done 2 of 5 lists", "backfill list_mark has done 2 of 5 lists",
                ])
            #expect(try await count(test, "list WHERE mark_of = head") == 2)
            #expect(try await test.store.continueBackfills(lists: 2).map(\.lists) == [4, 4])
            let last = try await test.store.continueBackfills(lists: 2)
            #expect(last.map(\.lists) == [5, 5] && last.map(\.isFinished) == [true, true])
            #expect(try await test.store.continueBackfills(lists: 2).isEmpty)
            let time = """
                coalesce(
                    (SELECT received_at FROM entry WHERE list_id = list.id AND sequence = head),
                    (SELECT received_at FROM event WHERE list_id = list.id AND sequence = head))
                """
            #expect(try await count(test, "list WHERE mark_of = head AND mark = \(time)") == 5)
            #expect(try await count(test, "event WHERE type = 'discard'") > 0)
            #expect(try await count(test, "event WHERE type = 'share'") > 0)
            #expect(try await count(test, "event WHERE type IS DISTINCT FROM change ->> 'type'") == 0)
        }
    }

    @Test("this version writes the type of each event")
    func types() async throws {
        try await TestStore.with { test in
            _ = try await list(of: try await test.person("alice"), and: try await test.person("bob"), test)
            #expect(try await count(test, "event") > 1)
            #expect(try await count(test, "event WHERE type IS DISTINCT FROM change ->> 'type'") == 0)
        }
    }

    @Test("events without a type are read by what they say")
    func untyped() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await self.list(of: alice, and: try await test.person("bob"), test)
            // States from before they had differences are recognized by their type alone.
            try await test.run("UPDATE event SET difference = NULL, base = NULL")
            func activity() async throws -> [ActivityItem] {
                try await test.store.activity(
                    of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 100
                ).items
            }
            let typed = try await activity()
            #expect(typed.contains { if case .participant = $0.event { true } else { false } })
            try await makeOld(test)
            let untyped = try await activity()
            #expect(untyped == typed)
        }
    }

    @Test(
        "a head that moves while its list is completed doesn't get another change's time",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func movingHead() async throws {
        try await TestStore.with(connections: 4) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            try await makeOld(test)
            let completing = try await test.pool.withTransaction { earlier in
                // As a process of an earlier version does it.
                try await earlier.run(script: "UPDATE list SET head = head + 1")
                let completing = Task { try await test.store.continueBackfills() }
                try await eventually("the backfill waits for the list") {
                    try await test.pool.withConnection { other in
                        try await !other.execute(
                            """
                            SELECT FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock'
                            """
                        ).isEmpty
                    }
                }
                return completing
            }
            #expect(try await completing.value.map(\.isFinished) == [true, true])
            #expect(try await count(test, "list WHERE mark_of IS NOT NULL") == 0)
        }
    }

    @Test("a migrated database with lists has something to complete; before the migration it has not")
    func migrating() async throws {
        try await withTestDatabase { url in
            let pool = Pool(try Store.configuration(url), options: .patient(2))
            let before = Migrator(pool: pool, migrations: Array(Migrations.all.prefix(36)))
            try await before.migrate()
            #expect(try await before.backfills().isEmpty)
            try await pool.withConnection { connection in
                try await connection.run(
                    script: "INSERT INTO list (id, owner_id) VALUES (gen_random_uuid(), gen_random_uuid())")
            }
            let migrator = Migrator(pool: pool)
            try await migrator.migrate()
            let backfills = try await migrator.backfills()
            #expect(
                backfills.map(\.description) == [
                    "backfill event_type has not begun", "backfill list_mark has not begun",
                ])
            await pool.close()
        }
    }
}
