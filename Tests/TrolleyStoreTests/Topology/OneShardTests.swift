import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyMigrations
@testable import TrolleyStore

@Suite(
    "Statements on a Citus cluster", .enabled(if: TestNodes.shared != nil, "TROLLEY_CITUS_URL is not set"),
    .timeLimit(.minutes(20)))
struct OneShardTests {
    private static let forOneServer = Set(Store.statementsForOneServer.map(\.name))

    /// Statements that ask all shards, because they concern several lists, such as all lists of an account.
    private static let ofAllLists: Set<String> = [
        "account_delete_departures", "account_delete_read_marks", "account_mentioning_lists", "append_bytes_of_owner",
        "backfill_count", "backfill_page", "change_heads_of_account", "compression_eligible",
        "diagnostics_lists_of_account", "diagnostics_longest_lists", "diagnostics_totals", "doctor_backlog",
        "email_lists", "hail_delete_expired", "head_of_accounts", "head_of_lists", "invitation_by_secrets",
        "invitation_expired_lists", "list_of_account", "member_count_owned", "member_count_owned_by_many",
        "member_lists", "operator_largest_lists", "presence_delete_expired", "presence_leave_all",
        "room_delete_expired", "room_nonce_delete_expired", "sign_up_invitation_use", "summary_delete_expired",
        "summary_delete_of_account", "summary_due", "summary_levels", "summary_next", "summary_of_account",
        "summary_state_delete_of_account", "summary_without_alerts", "trail_eligible",
    ]

    @Test("each statement runs, and one about one list goes to one shard")
    func shards() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                let distributed = try await distributedTables(connection)
                var withoutPlan: Set<String> = []
                for statement in Store.statements where !Self.forOneServer.contains(statement.name) {
                    do {
                        guard let tasks = try await tasks(of: statement, connection) else {
                            withoutPlan.insert(statement.name)
                            continue
                        }
                        if Self.ofAllLists.contains(statement.name) {
                            #expect(tasks > 1, "\(statement.name) asks \(tasks) shards: it belongs to the others")
                        } else {
                            #expect(tasks <= 1, "\(statement.name) asks \(tasks) shards")
                        }
                        // A plan without a task runs on the coordinator, which has no lists.
                        let words = Set(statement.sql.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
                        if tasks == 0, !Self.withoutTask.contains(statement.name) {
                            let tables = distributed.filter { words.contains($0[...]) }
                            #expect(tables.isEmpty, "\(statement.name) has no task, and is about \(tables)")
                        }
                    } catch { Issue.record("\(statement.name): \(error)") }
                }
                #expect(withoutPlan == Self.withoutPlan)
            }
        }
    }

    /// Statements that delete and insert. They run in two steps, each about the list, and EXPLAIN refuses them.
    private static let withoutPlan: Set<String> = [
        "hosted_rejected_insert", "member_remove", "member_remove_all", "member_remove_participants",
        "registration_tell",
    ]

    /// Statements about the lists' tables whose plan names no task.
    private static let withoutTask: Set<String> = [
        // Only a node runs it, into its own shard. The coordinator would make the rows itself, and send them.
        "append_insert_on_node",
        // Reads the catalog about the table.
        "partition_existing",
    ]

    private func distributedTables(_ connection: Connection) async throws -> [String] {
        try await connection.execute("SELECT logicalrelid::text FROM pg_dist_partition WHERE partmethod = 'h'")
            .map { try $0.decode(String.self, at: 0) }
    }

    @Test("every table but the migrator's and the leader's has its place")
    func tables() async throws {
        #expect(Self.ofAllLists.isSubset(of: Set(Store.statements.map(\.name))))
        try await TestStore.with { test in
            let others = try await test.pool.withConnection { connection in
                try await connection.execute(
                    """
                    SELECT relname::text
                    FROM pg_class
                    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                        AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
                        AND NOT EXISTS (SELECT FROM pg_dist_shard WHERE relname LIKE '%\\_' || shardid)
                    """
                ).map { try $0.decode(String.self, at: 0) }
            }
            #expect(Set(others) == ["leadership", "migration"])
            #expect(try await test.store.topology.isDistributed())
        }
    }

    @Test("a table that a later migration makes is distributed, or every node has it")
    func laterTables() async throws {
        try await TestStore.with { test in
            let later = Migrator(
                pool: test.pool,
                migrations: Migrator(pool: test.pool).migrations + [
                    Migration(
                        version: 9999, name: "later",
                        sql: """
                            CREATE TABLE later (list_id uuid NOT NULL, note text, PRIMARY KEY (list_id));
                            CREATE TABLE later_of_all (name text PRIMARY KEY);
                            """)
                ])
            #expect(try await later.migrate().map(\.name) == ["later"])
            let kinds = try await test.pool.withConnection { connection in
                try await connection.execute(
                    """
                    SELECT logicalrelid::text || ' ' || partmethod::text
                    FROM pg_dist_partition
                    WHERE logicalrelid::text LIKE 'later%'
                    ORDER BY 1
                    """
                ).map { try $0.decode(String.self, at: 0) }
            }
            #expect(kinds == ["later h", "later_of_all n"])
        }
    }

    @Test("a statement gives up on a list's lock after five seconds on a node as well")
    func lockTimeout() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let list = try await test.list(of: anna)
            try await test.pool.withTransaction { holder in
                try await holder.execute(ListSQL.lockUnchecked, [list])
                let refused = await failure {
                    try await test.store.removeParticipant(anna.account, from: list, by: anna.account)
                }
                #expect(refused == "busy")
            }
        }
    }

    @Test("uploads to lists of one shard share a transaction, and each gets its verdict")
    func together() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            var lists: [ListID] = []
            let first = try await test.list(of: anna)
            let shard = try await test.store.topology.shards(of: [first])[first]
            lists.append(first)
            while lists.count < 3 {
                let id = ListID.version7(at: .now, random: RandomBits.random)
                guard try await test.store.topology.shards(of: [id])[id] == shard else { continue }
                lists.append(try await test.store.createList(id, owner: anna.account).list.id)
            }
            let known = JournalEntry.add("known")
            try await test.upload([known], to: lists[1], by: anna)
            #expect(try await test.store.topology.shards(of: Set(lists)).values.allSatisfy { $0 == shard })
            let uploads = try lists.map { list in
                let request = UploadRequest(
                    entries: [
                        UploadEntry(
                            entry: list == lists[1] ? known : .add("milk", fields: ["note": .string("2 l")]), age: 0)
                    ])
                return PendingUpload(
                    try UploadBody(json: request.json, limits: Limits()), to: list, by: anna, ageCap: Limits().ageCap)
            }
            let appended = try await test.pool.withConnection { try await $0.appendInShard(uploads) }
            #expect(appended.map { $0?.appended.head.rawValue } == [1, nil, 1], "the second needs a closer look")
            for list in [lists[0], lists[2]] {
                let entries = try await test.entries(list, seenBy: anna)
                #expect(entries.map(\.sequence.rawValue) == [1])
                #expect(entries.first?.entry.fields["note"] == .string("2 l"))
                #expect(entries.first.map { $0.madeAt <= $0.receivedAt } == true)
            }
        }
    }

    @Test(
        "a list that this process has appended to is appended to without a closer look, until somebody else changes it")
    func known() async throws {
        try await TestStore.with { test in
            let (anna, bert) = (try await test.person("Anna"), try await test.person("Bert"))
            let list = try await test.list(of: anna)
            try await test.add(bert, to: list, of: anna)
            let milk = JournalEntry.add("milk")
            for entry in [milk, .add("bread", 2), .add("eggs", 3)] {
                #expect(try await test.upload([entry], to: list, by: anna).statuses == [.applied])
            }
            #expect(try await test.upload([.add("salt")], to: list, by: bert).statuses == [.applied])
            #expect(try await test.upload([.add("oil", 2)], to: list, by: bert).statuses == [.applied])
            // The answer was lost, so the device sends the same upload again.
            #expect(try await test.upload([milk], to: list, by: anna).statuses == [.duplicate])
            // Another process acquires the right to write.
            _ = try await Store(pool: test.pool).permit(.readOnly, to: bert.account, on: list, by: anna.account)
            #expect(await failure { try await test.upload([.add("tea", 3)], to: list, by: bert) } == "readOnly")
            #expect(try await test.upload([.add("jam", 4)], to: list, by: anna).statuses == [.applied])
            let entries = try await test.entries(list, seenBy: anna)
            #expect(entries.count == 6)
            #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.receivedAt <= $1.receivedAt })
        }
    }

    @Test("several lists of one shard that this process knows are locked, looked at and moved by one statement each")
    func knownTogether() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let lists = try await test.listsInOneShard(3, of: anna)
            func uploads(_ number: Int64) throws -> [PendingUpload] {
                try lists.map { list in
                    let entry = JournalEntry.add("milk \(number)", number)
                    let request = UploadRequest(entries: [UploadEntry(entry: entry, age: 0)])
                    return PendingUpload(
                        try UploadBody(json: request.json, limits: Limits()), to: list, by: anna, ageCap: 0)
                }
            }
            let known = KnownLists()
            for number in 1...4 {
                let batch = try uploads(Int64(number))
                // Another person writes to one of them before the last.
                if number == 4 { try await test.upload([.add("tea", 9)], to: lists[1], by: anna) }
                let appended = try await test.pool.withConnection {
                    try await $0.appendInShard(batch, known: known.known(to: batch))
                }
                known.note(batch, appended)
                let heads = [Int64(number), Int64(number == 4 ? 5 : number), Int64(number)]
                #expect(appended.map { $0?.appended.head.rawValue } == heads)
            }
            for list in lists {
                let (head, bytes) = try await test.headAndBytes(of: list)
                let entries = try await test.entries(list, seenBy: anna)
                #expect(entries.map(\.sequence.rawValue) == Array(1...head))
                #expect(bytes == Int64(entries.reduce(0) { $0 + ($1.entry.fields.column?.text.utf8.count ?? 0) }))
            }
        }
    }

    @Test("a list that another process has appended to meanwhile is looked at closer in the same transaction")
    func knownElsewhere() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let list = try await test.list(of: anna)
            let other = TestStore(store: Store(pool: test.pool), pool: test.pool)
            for (number, process) in [test, other, test, other, test].enumerated() {
                let entry = JournalEntry.add("\(number)", Int64(number + 1))
                #expect(try await process.upload([entry], to: list, by: anna).statuses == [.applied])
            }
            #expect(try await test.entries(list, seenBy: anna).map(\.sequence.rawValue) == [1, 2, 3, 4, 5])
            for process in [test, other] {
                #expect(process.store.appender.statistics.single == 0)
                #expect(process.store.appender.statistics.transactions == process.store.appender.statistics.batched)
            }
        }
    }

    @Test("no time-out of the server's ends the distribution of a table")
    func distributionTimeouts() async throws {
        try await TestStore.with { test in
            try await test.run("CREATE TABLE later (list_id uuid PRIMARY KEY)")
            try await test.run("INSERT INTO later SELECT gen_random_uuid() FROM generate_series(1, 1000)")
            try await test.run(
                """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET lock_timeout = 50', current_database());
                END $$
                """)
            let pool = Pool(test.pool.configuration, options: .patient(2))
            let waited = try await test.pool.withTransaction { holder in
                try await holder.execute("SELECT FROM later FOR UPDATE LIMIT 1")
                let distributing = Task { try await Distribution(pool: pool).distribute() }
                // Longer than the timeout. A transaction would see the same activity as at its first read.
                while try await test.pool.withConnection({ other in
                    try await other.execute(
                        """
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                            AND clock_timestamp() - state_change > interval '200 ms'
                        """
                    ).isEmpty
                }) {}
                return distributing
            }
            #expect(try await waited.value == ["later"])
            await pool.close()
        }
    }

    /// The number of shards that the server asks for a statement about a missing list; nil if the statement runs, but
    /// can't be explained.
    private func tasks(of statement: Statement, _ connection: Connection) async throws -> Int? {
        // The rest of a refused statement.
        try await connection.run(script: "DEALLOCATE ALL")
        try await connection.run(script: "PREPARE planned AS \(statement.sql)")
        let types = try await connection.execute(
            "SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'planned'"
        ).map { try $0.decode(String.self, at: 0) }
        let values = types.enumerated().map { index, type in
            if statement.sql.contains("$\(index + 1)::text::timestamptz") { return "now()::text" }
            return Self.values[type] ?? "NULL::\(type)"
        }
        let call = values.isEmpty ? "planned" : "planned(\(values.joined(separator: ", ")))"
        let plan: [String]
        do {
            plan = try await connection.execute("EXPLAIN (COSTS OFF) EXECUTE \(unescaped: call)")
                .map { try $0.decode(String.self, at: 0) }
        } catch let error as PostgresError where error.sqlState == .featureNotSupported {
            try await connection.run(script: "BEGIN")
            do { try await connection.run(script: "EXECUTE \(call)") } catch {
                try await connection.run(script: "ROLLBACK")
                throw error
            }
            try await connection.run(script: "ROLLBACK")
            return nil
        }
        return plan.compactMap { line in
            line.firstRange(of: "Task Count: ").flatMap { Int(line[$0.upperBound...]) }
        }.max() ?? 0
    }

    private static let values: [String: String] = {
        let id = "00000000-0000-7000-8000-000000000001"
        return [
            "uuid": "'\(id)'::uuid", "uuid[]": "ARRAY['\(id)']::uuid[]", "bigint": "1::bigint", "integer": "1",
            "numeric": "1::numeric", "bigint[]": "ARRAY[1]::bigint[]", "text": "'owner'::text",
            "text[]": "ARRAY['add']",
            "bytea": "sha256('')", "bytea[]": "ARRAY[sha256('')]", "json": "'{}'::json",
            "json[]": "ARRAY['{}']::json[]",
            "jsonb": "'{}'::jsonb", "boolean": "false", "boolean[]": "ARRAY[true]",
            "timestamp with time zone": "now()", "timestamp with time zone[]": "ARRAY[now()]",
        ]
    }()
}

extension TestStore {
    fileprivate func listsInOneShard(_ count: Int, of owner: Session) async throws -> [ListID] {
        let ids = Set((0..<200).map { _ in ListID.version7(at: .now, random: RandomBits.random) })
        let shards = try await store.topology.shards(of: ids)
        let chosen = shards.filter { $0.value == shards.values.min() }.keys.prefix(count)
        for id in chosen { _ = try await store.createList(id, owner: owner.account) }
        return Array(chosen)
    }

    fileprivate func headAndBytes(of list: ListID) async throws -> (Int64, Int64) {
        try await pool.withConnection { connection in
            try await connection.execute("SELECT head, bytes FROM list WHERE id = \(list)")[0].decode(
                (Int64, Int64).self)
        }
    }
}
