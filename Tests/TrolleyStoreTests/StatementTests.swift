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

    @Test("no two statements have one name")
    func names() {
        let names = Store.statements.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
