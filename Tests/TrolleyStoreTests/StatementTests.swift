import Testing
import TrolleyPostgres
import TrolleyStore

@Suite("Statements")
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

    @Test("planned once while the archive is known to be empty, no statement reads all of it when it is full")
    func planned() async throws {
        try await TestStore.with { test in
            try await test.pool.withConnection { connection in
                try await connection.run(script: "ANALYZE archived_id")
                // What compression reads it by is planned anew each time.
                for statement in Store.statements
                where statement.sql.contains("archived_id") && statement.name != "archive_together" {
                    let parameters = (1...20).filter { statement.sql.contains("$\($0)") }
                    let values = parameters.isEmpty ? "" : "(\(parameters.map { _ in "NULL" }.joined(separator: ", ")))"
                    try await connection.run(script: "PREPARE planned AS \(statement.sql)")
                    let plan = try await connection.execute("EXPLAIN EXECUTE planned\(unescaped: values)").map { row in
                        try row.decode(String.self, at: 0)
                    }
                    try await connection.run(script: "DEALLOCATE planned")
                    for (line, next) in zip(plan, plan.dropFirst() + [""]) where line.contains(" on archived_id") {
                        // What is inserted or deleted is no scan.
                        guard line.contains("Scan") else { continue }
                        #expect(next.contains("Index Cond"), "\(statement.name): \(line)")
                    }
                }
            }
        }
    }

    @Test("no two statements have one name")
    func names() {
        let names = Store.statements.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
