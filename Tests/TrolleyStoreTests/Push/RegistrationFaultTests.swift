import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// What other processes, failures and restores may do to registered programs.
@Suite("Telling registered programs in spite of faults", .timeLimit(.minutes(20)))
struct RegistrationFaultTests {
    @Test("a list that fails doesn't stop the others, and is named")
    func failingList() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let (list, other) = (try await test.list(of: anna), try await test.list(of: anna))
            let phone = try await test.program(of: anna)
            for each in [list, other] {
                try await test.register(phone, for: each)
                try await test.upload([.add("milk")], to: each, by: anna)
            }
            try await test.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no such luck'; END $$;
                CREATE TRIGGER failure BEFORE UPDATE ON push_registration FOR EACH ROW
                WHEN (NEW.list_id = '\(list)') EXECUTE FUNCTION fail();
                """)
            let round = try await test.tellRegistered()
            #expect(round.told == 1 && round.failed == [list] && round.failure != nil)
            #expect(try await test.rows("push_delivery WHERE list_id = '\(other)'") == 1)
            try await test.run("DROP FUNCTION fail() CASCADE")
            let again = try await test.tellRegistered()
            #expect(again.told == 1 && again.failed.isEmpty && again.failure == nil)
        }
    }

    @Test("a program that was told of more than a restored list has is told once")
    func restored() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
            try await test.run("DELETE FROM push_delivery; UPDATE push_registration SET told_through = 1000")
            #expect(try await test.tellRegistered().told == 1)
            let head = try await test.head(of: list, for: anna)
            #expect(try await test.claimDeliveries().map(\.notice.through) == [head])
            #expect(try await test.tellRegistered().told == 0)
            try await test.upload([.add("eggs", 2)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
        }
    }

    @Test("what another process has just put into the outbox is told with the rest")
    func beside() async throws {
        try await TestStore.with(connections: 6) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            let rename = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .renameList,
                fields: ["text": .string("Weekly shop")], deviceSequence: 1)
            try await test.upload([rename], to: list, by: anna)
            let telling = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM push_registration FOR UPDATE")
                let telling = Task { try await test.tellRegistered() }
                try await connection.untilSomebodyWaits()
                try await test.run(
                    """
                    INSERT INTO push_delivery (list_id, id, target_id, account_id, content, expires_at)
                    SELECT
                        '\(list)', gen_random_uuid(), id, account_id,
                        '{"calendar":{"content":true,"properties":false}}', now() + interval '1 day'
                    FROM push_target
                    """)
                return telling
            }
            #expect(try await telling.value.told == 1)
            let updates = try await test.claimDeliveries().map(\.notice.calendar)
            #expect(updates.map { $0?.content } == [true] && updates.map { $0?.properties } == [true])
        }
    }

    @Test("an append neither waits nor goes alone while a list's programs are being told")
    func appending() async throws {
        try await TestStore.with(connections: 6) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            let telling = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM push_registration FOR UPDATE")
                let telling = Task { try await test.tellRegistered() }
                try await connection.untilSomebodyWaits()
                let before = test.store.appender.statistics.single
                try await test.upload([.add("eggs", 2)], to: list, by: anna)
                #expect(test.store.appender.statistics.single == before)
                return telling
            }
            #expect(try await telling.value.told == 1)
        }
    }

    @Test("a hold that ends while a list's programs are being told doesn't look like a restored list")
    func holdEnds() async throws {
        try await TestStore.with(connections: 6) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            let telling = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM push_registration FOR UPDATE")
                let telling = Task { try await test.tellRegistered() }
                try await connection.untilSomebodyWaits()
                try await test.upload([.add("eggs", 2)], to: list, by: anna)
                let head = try await test.head(of: list, for: anna)
                try await connection.execute("UPDATE push_registration SET told_through = \(head)")
                return telling
            }
            #expect(try await telling.value.told == 0)
            #expect(try await test.rows("push_delivery") == 0)
        }
    }

    @Test("nobody is told who is being removed, and no removal is waited for")
    func removing() async throws {
        try await TestStore.with(connections: 6) { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.register(try await test.program(of: ben), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            try await test.pool.withTransaction { connection in
                try await connection.execute("DELETE FROM member WHERE account_id = \(ben.account)")
                let round = try await test.tellRegistered()
                #expect(round.told == 0 && round.held == [list] && round.failure == nil)
            }
            #expect(try await test.tellRegistered().told == 0)
            #expect(try await test.rows("push_registration") == 0)
        }
    }

    @Test("a hold, or its end, and the end of several targets don't wait for each other", arguments: [false, true])
    func hold(isEnd: Bool) async throws {
        try await TestStore.with(connections: 6) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            for endpoint in ["phone", "laptop"] {
                try await test.register(try await test.program(of: anna), for: list, endpoint: endpoint)
            }
            let earlier = try #require(
                try await test.store.hold(registrationsFor: list, isForAll: true, named: [], by: anna))
            let holding = try await test.pool.withTransaction { connection in
                // As when targets are deleted: all of them are locked, and then the registrations, one by one.
                try await connection.execute("SELECT FROM push_target ORDER BY id FOR UPDATE")
                try await connection.execute("SELECT FROM push_registration ORDER BY id DESC LIMIT 1 FOR UPDATE")
                let holding = Task {
                    if isEnd {
                        try await test.store.release(earlier, from: .start, to: .start)
                    } else {
                        _ = try await test.store.hold(registrationsFor: list, isForAll: true, named: [], by: anna)
                    }
                }
                try await connection.untilSomebodyWaits()
                try await connection.execute("DELETE FROM push_target")
                return holding
            }
            try await holding.value
            #expect(try await test.rows("push_registration") == 0)
        }
    }

    @Test("what waits for a program isn't trimmed, because it would not be told again")
    func trimming() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            try await test.register(try await test.program(of: anna), for: try await test.list(of: anna))
            try await test.run(
                """
                INSERT INTO push_delivery (list_id, id, target_id, account_id, content, expires_at)
                SELECT gen_random_uuid(), gen_random_uuid(), id, account_id, '{}', now() + interval '1 day'
                FROM push_target, generate_series(1, 150)
                """)
            try await test.store.trimDeliveries(of: [anna.account])
            #expect(try await test.rows("push_delivery") == 150)
        }
    }

    @Test(
        "a look at some lists reads their registrations only",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func plan() async throws {
        try await withTestDatabase(TestStore.migrated) { url in
            let connection = try await Connection.connect(Store.configuration(url))
            try await FilledTables.fill(connection)
            let plan = try await connection.plan(of: RegistrationSQL.ofLists)
            let text = plan.joined(separator: "\n")
            #expect(text.contains("push_registration_by_list") && !text.contains("push_registration_pkey"), "\(text)")
        }
    }
}
