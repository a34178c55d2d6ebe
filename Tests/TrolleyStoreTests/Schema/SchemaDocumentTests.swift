import FoundationEssentials
import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

@Suite("The page about the schema", .timeLimit(.minutes(20)))
struct SchemaDocumentTests {
    @Test(
        "docs/schema.md has every table, who writes it, and who uses its indexes",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func document() async throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../docs/schema.md").standardized
        try await TestStore.with { test in
            let text = try await test.pool.withConnection { try await SchemaDocument.text(reading: $0) }
            if ProcessInfo.processInfo.environment["TROLLEY_WRITE_SCHEMA"] == "1" {
                try Data(text.utf8).write(to: file)
            }
            let written = try String(contentsOf: file, encoding: .utf8)
            let lines = (written.split(separator: "\n"), text.split(separator: "\n"))
            let first = zip(lines.0, lines.1).first { $0 != $1 }
            #expect(
                written == text,
                """
                TROLLEY_WRITE_SCHEMA=1 script/test --filter SchemaDocumentTests writes it; the first difference: \
                \(first.map { "\($0.0) | \($0.1)" } ?? "its length")
                """)
        }
    }
}
