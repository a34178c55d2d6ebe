import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("An upload that times out", .timeLimit(.minutes(20)), .enabled(if: TestNodes.shared == nil, "for one server"))
struct SlowUploadTests {
    /// A store with one writer whose statements time out soon. Inserting an entry with the text `stuck` waits for a lock
    /// that a connection of the test's holds.
    private func with(_ body: (TestStore) async throws -> Void) async throws {
        var options = Appender.Options()
        options.writers = 1
        try await TestStore.with(connections: 8) { made in
            try await made.run(
                """
                CREATE FUNCTION wait_if_stuck() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.fields ->> 'text' = 'stuck' THEN
                        -- On a busy machine the cancel can come later than the lock's own time-out, which fails differently.
                        PERFORM set_config('lock_timeout', '0', true);
                        PERFORM pg_advisory_xact_lock_shared(26);
                    END IF;
                    RETURN NEW;
                END
                $$;
                CREATE TRIGGER wait BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION wait_if_stuck()
                """)
            var configuration = made.pool.configuration
            // No other statement takes as long, also on a busy machine.
            configuration.statementTimeout = .seconds(8)
            let pool = Pool(configuration, options: .patient(8))
            let test = TestStore(store: Store(pool: pool, appending: options), pool: made.pool)
            try await body(test)
            await pool.close()
        }
    }

    @Test("fails alone, and from then on delays no other list")
    func alone() async throws {
        try await with { test in
            let alice = try await test.person("alice")
            var lists: [ListID] = []
            for _ in 0..<6 { lists.append(try await test.list(of: alice)) }
            try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT pg_advisory_xact_lock(26)")
                func batch(_ stuck: ListID, number: Int64) async throws -> [String] {
                    try await withThrowingTaskGroup(of: String.self) { group in
                        try await test.together(lists.count) {
                            for list in lists {
                                let text = list == stuck ? "stuck" : "milk"
                                group.addTask {
                                    await failure { try await test.upload([.add(text, number)], to: list, by: alice) }
                                }
                            }
                        }
                        return try await group.reduce(into: []) { if $1 != "nothing" { $0.append($1) } }
                    }
                }
                let failures = try await batch(lists[2], number: 1)
                #expect(failures.count == 1 && failures.allSatisfy { $0.contains("statementTimedOut") }, "\(failures)")
                #expect(test.store.appender.statistics.single == 6, "each of them was tried alone")

                let again = try await batch(lists[2], number: 2)
                #expect(again.count == 1, "\(again)")
                #expect(test.store.appender.statistics.single == 7, "the others shared a transaction")
            }
            #expect(try await test.upload([.add("stuck", 3)], to: lists[2], by: alice).statuses == [.applied])
            #expect(try await test.upload([.add("milk", 4)], to: lists[2], by: alice).statuses == [.applied])
            #expect(test.store.appender.statistics.single == 8, "the list is a list like others again")
        }
    }

    @Test("when a few of a batch time out alone, the database is slow, and the others fail at once")
    func all() async throws {
        try await with { test in
            let alice = try await test.person("alice")
            var lists: [ListID] = []
            for _ in 0..<12 { lists.append(try await test.list(of: alice)) }
            let failures = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT pg_advisory_xact_lock(26)")
                return try await withThrowingTaskGroup(of: String.self) { group in
                    try await test.together(lists.count) {
                        for list in lists {
                            group.addTask {
                                await failure { try await test.upload([.add("stuck")], to: list, by: alice) }
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(failures.count { $0.contains("statementTimedOut") } == 12, "\(failures)")
            let untried = failures.count { $0.contains("other uploads of the same batch") }
            #expect(untried >= 12 - 2 * Appender.Options().parallelAfterTimeOut, "\(failures)")
        }
    }

    @Test("a list is remembered as slow until it succeeds or some time has passed")
    func memory() {
        let now = ContinuousClock.now
        let (first, second) = (
            ListID.version7(at: .now, random: (1, 1)), ListID.version7(at: .now, random: (1, 2))
        )
        var slow = SlowLists()
        slow.note(first, isSlow: true, at: now)
        slow.note(second, isSlow: true, at: now + .seconds(1))
        #expect(slow.lists(at: now + SlowLists.memory - .seconds(1)) == [first, second])
        #expect(slow.lists(at: now + SlowLists.memory) == [second])
        slow.note(second, isSlow: false, at: now)
        #expect(slow.lists(at: now).isEmpty)
        for number in 0..<3 * SlowLists.maxLists {
            slow.note(.version7(at: .now, random: (2, UInt64(number))), isSlow: true, at: now)
        }
        #expect(slow.lists(at: now).count <= SlowLists.maxLists)
    }
}
