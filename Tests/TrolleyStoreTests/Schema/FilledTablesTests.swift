import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

@Suite("Plans for full tables", .timeLimit(.minutes(20)))
struct FilledTablesTests {
    private static let many = 1000

    /// Statements that read all of a table, and why they may.
    private static let readers = [
        "backfill_count": "it is read once for each backfill, to tell how far that is",
        "backfill_state": "the table has a row for each backfill",
        "device_forget_ended": "the table has the last hour only",
        "diagnostics_totals": "it is for an operator, and counts everything",
        "diagnostics_times": "it is for an operator, and the table has a row for each statement",
        "doctor_outbox": "it is for an operator, and counts what waits",
        "email_code_delete_expired": "the table has a day's codes only",
        "maintenance_newest": "the table has some rows for each kind of work",
        "migration_applied": "the table has a row for each migration",
        "password_reset_delete_expired": "the table has a day's codes only",
        "process_forget": "the table has a row for each process",
        "process_running": "the table has a row for each process",
        "report_waiting": "the table has those devices only on which something waits",
        "sign_up_code_delete_expired": "the table has codes that an operator has made",
    ]

    @Test(
        "no statement reads the whole of a table that grows, except those that are about all of it",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func scans() async throws {
        try await withTestDatabase(TestStore.migrated) { url in
            let connection = try await Connection.connect(Store.configuration(url))
            try await FilledTables.fill(connection)
            let counts = try await FilledTables.counts(connection)
            #expect(counts.count { $0.value >= Self.many } > 40, "\(counts)")
            var found: Set<String> = []
            for statement in Store.statements {
                let plan = try await connection.plan(of: statement)
                for table in Self.wholeTables(in: plan) where (counts[table] ?? 0) >= Self.many {
                    found.insert(statement.name)
                    let plan = plan.joined(separator: "\n")
                    #expect(
                        Self.readers[statement.name] != nil, "\(statement.name) reads all of \(table)\n\(plan)")
                }
            }
            #expect(Set(Self.readers.keys).subtracting(found).isEmpty, "these read no whole table any more")
        }
    }

    /// The tables that a plan reads from one end to the other: by a sequential scan, or by an index without a condition, also by a
    /// bitmap of the primary key, as before autovacuum has come. A limit above such an index ends it early.
    static func wholeTables(in plan: [String]) -> [String] {
        var tables: [String] = []
        var isLimited = false
        let following = plan.dropFirst() + [""]
        for ((line, next), afterNext) in zip(zip(plan, following), following.dropFirst() + [""]) {
            if line.contains("Limit ") { isLimited = true }
            let words = line.split(separator: " ")
            guard let on = words.firstIndex(of: "on"), on + 1 < words.count, line.contains("Scan") else { continue }
            let table = String(words[on + 1])
            let isWholeIndex =
                line.contains("Index") && !line.contains("Bitmap Index Scan") && !next.contains("Index Cond")
            let isWholeBitmap =
                next.contains("Bitmap Index Scan on \(table)_pkey ") && !afterNext.contains("Index Cond")
            if line.contains("Seq Scan on") || isWholeIndex && !isLimited || isWholeBitmap { tables.append(table) }
        }
        return tables
    }
}
