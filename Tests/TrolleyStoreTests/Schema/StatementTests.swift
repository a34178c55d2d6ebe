import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

@Suite("Statements", .timeLimit(.minutes(20)))
struct StatementTests {
    @Test("every statement fits the migrated schema")
    func fit() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                for statement in Store.statements {
                    do { _ = try await connection.describe(statement.sql) } catch {
                        Issue.record("\(statement.name): \(error)")
                    }
                }
            }
        }
    }

    @Test(
        "planned once while the archive is known to be empty, no statement reads all of it when it is full",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func planned() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                // There are lists; otherwise it makes no difference to the planner what it reads of the archive for each.
                try await connection.run(
                    script: """
                        INSERT INTO list (id, owner_id)
                        SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, 1000);
                        INSERT INTO member (list_id, account_id, role, permission)
                        SELECT id, owner_id, 'owner', 'readWrite' FROM list;
                        ANALYZE list, member, archived_id
                        """)
                // The statements of compression are planned each time.
                for statement in Store.statements
                where statement.sql.contains("archived_id") && statement.name != "archive_together" {
                    let plan = try await connection.plan(of: statement)
                    for (line, next) in zip(plan, plan.dropFirst() + [""]) where line.contains(" on archived_id") {
                        // An INSERT or DELETE isn't a scan.
                        guard line.contains("Scan") else { continue }
                        #expect(next.contains("Index Cond"), "\(statement.name): \(line)")
                    }
                }
            }
        }
    }

    @Test(
        "no statement is compiled on a server with its defaults, which would take longer than to run it",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func compiled() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                for statement in Store.statements {
                    let plan = try await connection.plan(of: statement)
                    #expect(!plan.contains { $0.contains("JIT") }, "\(statement.name)")
                }
            }
        }
    }

    @Test("statements outside a transaction see earlier commits, whatever the server's isolation level")
    func isolation() async throws {
        try await withTestDatabase { url in
            let server = try await Connection.connect(PostgresConfiguration(url))
            try await server.run(
                script:
                    "ALTER ROLE CURRENT_USER IN DATABASE \(name(of: url)) SET default_transaction_isolation = serializable"
            )
            let ours = try await Connection.connect(Store.configuration(url))
            let level = try await ours.execute("SHOW transaction_isolation")
            #expect(try level[0].decode(String.self, at: 0) == "read committed")
        }
    }

    @Test(
        "entries and archived ids are looked up within their list",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func withinTheList() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                // The statements of compression for many lists are planned each time.
                for statement in Store.statements
                where !statement.name.hasPrefix("compression_") && statement.name != "archive_together" {
                    let plan = try await connection.plan(of: statement)
                    for (line, next) in zip(plan, plan.dropFirst() + [""])
                    where line.contains("Index") && (line.contains(" on entry") || line.contains(" on archived_id")) {
                        #expect(next.contains("list_id ="), "\(statement.name): \(line)\(next)")
                    }
                }
            }
        }
    }

    @Test(
        "planned once while the tables are empty, whether an item is still there is looked up by its own index",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func addsByItem() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                for table in ["entry", "archived_id"] { try await connection.run(script: "ANALYZE \(table)") }
                for statement in [AppendSQL.batch, AppendSQL.purgedItems] {
                    let plan = try await connection.plan(of: statement)
                    for (line, next) in zip(plan, plan.dropFirst()) where line.contains("entry_add_by_item") {
                        #expect(next.contains("list_id =") && next.contains("item_id ="), "\(statement.name): \(next)")
                    }
                    #expect(plan.contains { $0.contains("entry_add_by_item") }, "\(statement.name)")
                    // By id, by number and by item; no scan of a list's journal.
                    for (line, next) in zip(plan, plan.dropFirst())
                    where line.contains("Scan") && line.contains(" on entry") {
                        #expect(
                            ["entry_id =", "sequence", "item_id ="].contains { next.contains($0) }, "\(line)\(next)")
                    }
                }
            }
        }
    }

    @Test(
        "planned once while the tables are empty, an item's archived entries are found by the item, and read from their month",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func archivedByItem() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        CREATE TABLE archived_entry_2026_01 PARTITION OF archived_entry
                        FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')
                        """)
                let plan = try await connection.plan(of: ActivitySQL.names)
                #expect(plan.contains { $0.contains("archived_id_by_item") })
                let reads = zip(plan, plan.dropFirst()).filter { $0.0.contains(" on archived_entry_2026_01") }
                #expect(!reads.isEmpty)
                for (line, next) in reads {
                    #expect(next.contains("sequence =") && next.contains("received_at ="), "\(line)\(next)")
                }
            }
        }
    }

    @Test(
        "planned once while the tables are empty, whether an entry is archived is looked up by its id",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func archivedByID() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                for statement in [
                    ActivitySQL.page, ActivitySQL.names, EntrySQL.activityOfList, EntrySQL.activityRange,
                    EntrySQL.recentRange, EntrySQL.newestOfDevice, EntrySQL.touchedRange,
                ] {
                    let plan = try await connection.plan(of: statement)
                    let reads = zip(plan, plan.dropFirst()).filter { $0.0.contains("archived_id_once") }
                    #expect(!reads.isEmpty, "\(statement.name)")
                    for (line, next) in reads {
                        #expect(next.contains("entry_id = entry") && next.contains("list_id = $1"), "\(line)\(next)")
                    }
                }
            }
        }
    }

    private func name(of url: String) -> Substring { url.split(separator: "/").last?.prefix { $0 != "?" } ?? "" }

    @Test("no two statements have one name")
    func names() {
        let names = Store.statements.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
