import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Outages", .timeLimit(.minutes(20)))
struct OutageTests {
    @Test(
        "temporary failures are told from permanent ones",
        arguments: [
            ("08006", .nodeAway), ("57P01", .unreachable), ("57P03", .unreachable), ("58030", .unreachable),
            ("53100", .diskFull), ("25006", .readOnly), ("53200", .overloaded), ("53300", .overloaded),
            ("57014", .overloaded), ("40001", .overloaded), ("23505", nil), ("42P01", nil), ("22P02", nil),
            ("XX000", nil),
        ] as [(String, Outage?)])
    func kinds(code: String, outage: Outage?) {
        let error = PostgresError(.server, "", sqlState: SQLState(rawValue: code))
        #expect(error.isTransient == (outage != nil))
        #expect(StoreError(error).outage == outage)
    }

    @Test(
        "a connection to a node that breaks under a statement or a COMMIT is a node that is away; the change may be stored",
        arguments: [
            ("server closed the connection unexpectedly", "while executing command on 127.0.0.1:9701", .nodeAway),
            ("failure on connection marked as essential: 127.0.0.1:9701", nil, .nodeAway),
            ("could not commit transaction for shard 102008 on at least one active node", nil, .nodeAway),
            // An internal error of the node itself: Citus adds the same context.
            ("cache lookup failed for relation 4711", "while executing command on 127.0.0.1:9701", .nodeAway),
            ("cache lookup failed for relation 4711", nil, nil),
            ("cache lookup failed for relation 4711", "SQL statement in a function", nil),
        ] as [(String, String?, Outage?)])
    func connectionToNode(message: String, context: String?, outage: Outage?) {
        var error = PostgresError(.server, message, sqlState: .internalError)
        error.context = context
        #expect(StoreError(error).outage == outage)
        #expect(StoreError(error).leavesDoubt == (outage != nil))
    }

    @Test("the server's context is kept, and not logged")
    func context() async throws {
        try await TestStore.with { test in
            do {
                try await test.run("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'XX000', MESSAGE = 'broken'; END $$")
                Issue.record("nothing was thrown")
            } catch let error as PostgresError {
                #expect(error.context?.contains("inline_code_block") == true, "\(error.context ?? "")")
                #expect(!error.description.contains("inline_code_block"))
            }
        }
    }

    @Test("on a full disk uploads must retry and reads work, until the first upload succeeds")
    func fullDisk() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            try await test.run(
                """
                CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER full_disk BEFORE INSERT ON entry EXECUTE FUNCTION full_disk()
                """)
            let bread = JournalEntry.add("bread", 2)
            #expect(await outage { try await test.upload([bread], to: list, by: alice) } == .diskFull)
            try await expect(.diskFull, of: test.store)
            #expect(try await test.entries(list, seenBy: alice).count == 1)
            try await test.run("DROP TRIGGER full_disk ON entry")
            #expect(try await test.upload([bread], to: list, by: alice).statuses == [.applied])
            try await expect(nil, of: test.store)
        }
    }

    @Test("a failure that is a minute old says nothing any more")
    func memory() {
        let health = WriteHealth()
        let now = ContinuousClock.now
        let full = PostgresError(.server, "", sqlState: .diskFull)
        health.note(.unavailable(full), at: now)
        #expect(health.failure(at: now + .seconds(59)) == full)
        #expect(health.failure(at: now + .seconds(60)) == nil)
        health.note(.unavailable(PostgresError(.connectionLost, "")), at: now + .seconds(61))
        #expect(health.failure(at: now + .seconds(61)) == nil, "what concerns reading too is asked for, not remembered")
    }

    @Test("a database that takes no changes is not ready; connections to it are not used again")
    func readOnly() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            var configuration = test.pool.configuration
            configuration.sessionSettings["default_transaction_read_only"] = "on"
            let pool = Pool(configuration, options: .patient(1))
            let standby = Store(pool: pool)
            try await expect(.readOnly, of: standby)
            #expect(try await standby.state(of: list, for: alice.account).state.items.isEmpty)
            let opened = pool.statistics.opened
            #expect(
                await outage {
                    try await standby.createList(
                        .version7(at: .now, random: RandomBits.random), owner: alice.account)
                } == .readOnly)
            try await expect(.readOnly, of: standby)
            #expect(try await standby.state(of: list, for: alice.account).state.items.isEmpty)
            #expect(pool.statistics.opened == opened + 1)
            await pool.close()
        }
    }

    /// Waits until a check of the database has this outcome. On a busy machine a check may exceed its limit of one second.
    private func expect(
        _ outage: Outage?, of store: Store, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            await self.outage { try await store.ping() }
        } until: {
            $0 == outage
        }
    }

    private func outage<Value>(_ body: () async throws -> Value) async -> Outage? {
        do {
            _ = try await body()
            return nil
        } catch { return (error as? StoreError)?.outage }
    }
}
