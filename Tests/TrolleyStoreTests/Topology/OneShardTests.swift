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
    /// What takes several lists in one statement, for one server only. On a cluster others stand in for them.
    private static let forOneServer: Set<String> = [
        "append_at_once", "archive_together", "change_of_account", "change_of_many", "change_heads_of_many",
        "head_authors", "hosted_device_with_work",
    ]

    /// What asks all shards, because it is about all lists of somebody, or about all lists.
    private static let ofAllLists: Set<String> = [
        "account_delete_departures", "account_delete_read_marks", "account_mentioning_lists", "append_bytes_of_owner",
        "change_heads_of_account", "compression_eligible", "diagnostics_lists_of_account", "diagnostics_longest_lists",
        "diagnostics_totals", "doctor_backlog", "head_of_accounts", "invitation_by_secrets", "invitation_declinable",
        "invitation_expired_lists", "invitation_usable", "list_of_account", "member_count_owned",
        "member_count_owned_by_many", "member_lists", "presence_delete_expired", "presence_leave_all",
        "sign_up_invitation_use", "trail_eligible",
    ]

    @Test("each statement runs, and one about one list goes to one shard")
    func shards() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                for statement in Store.statements where !Self.forOneServer.contains(statement.name) {
                    do {
                        let tasks = try await tasks(of: statement, connection)
                        if Self.ofAllLists.contains(statement.name) {
                            #expect(tasks > 1, "\(statement.name) asks \(tasks) shards: it belongs to the others")
                        } else {
                            #expect(tasks <= 1, "\(statement.name) asks \(tasks) shards")
                        }
                    } catch { Issue.record("\(statement.name): \(error)") }
                }
            }
        }
    }

    @Test(
        "each statement that is for one server only is one that there is, and every table but the migrator's has its place"
    )
    func tables() async throws {
        #expect(Self.forOneServer.union(Self.ofAllLists).isSubset(of: Set(Store.statements.map(\.name))))
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
            #expect(others == ["migration"])
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

    @Test("whoever can't have a list's lock gives up after five seconds there as well")
    func lockTimeout() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let list = try await test.list(of: anna)
            try await test.pool.withTransaction { holder in
                try await holder.execute(ListSQL.lockUnasked, [list])
                let start = ContinuousClock.now
                let refused = await failure {
                    try await test.store.removeParticipant(anna.account, from: list, by: anna.account)
                }
                #expect(refused == "busy")
                #expect(ContinuousClock.now - start < .seconds(10))
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
            // An answer was lost: the same again.
            #expect(try await test.upload([milk], to: list, by: anna).statuses == [.duplicate])
            // Another process takes the right to write away.
            _ = try await Store(pool: test.pool).permit(.readOnly, to: bert.account, on: list, by: anna.account)
            #expect(await failure { try await test.upload([.add("tea", 3)], to: list, by: bert) } == "readOnly")
            #expect(try await test.upload([.add("jam", 4)], to: list, by: anna).statuses == [.applied])
            let entries = try await test.entries(list, seenBy: anna)
            #expect(entries.count == 6)
            #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.receivedAt <= $1.receivedAt })
        }
    }

    /// How many shards the server asks for a statement about a list that there isn't.
    private func tasks(of statement: Statement, _ connection: Connection) async throws -> Int {
        // Left from a statement that was refused.
        try await connection.run(script: "DEALLOCATE ALL")
        try await connection.run(script: "PREPARE planned AS \(statement.sql)")
        let types = try await connection.execute(
            "SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'planned'"
        ).map { try $0.decode(String.self, at: 0) }
        let values = types.map { type in Self.values[type] ?? "NULL::\(type)" }
        let call = values.isEmpty ? "planned" : "planned(\(values.joined(separator: ", ")))"
        let plan: [String]
        do {
            plan = try await connection.execute("EXPLAIN (COSTS OFF) EXECUTE \(unescaped: call)")
                .map { try $0.decode(String.self, at: 0) }
        } catch let error as PostgresError where error.sqlState == .featureNotSupported {
            // What deletes and inserts it runs in two steps, each about the list, and doesn't explain.
            try await connection.run(script: "BEGIN")
            try await connection.run(script: "EXECUTE \(call)")
            try await connection.run(script: "ROLLBACK")
            return 1
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
