import Testing
import TrolleyPostgres

@testable import TrolleyStore

/// docs/schema.md: each table, what it is for, which statements write it, and which use each of its indexes.
struct SchemaDocument {
    private var text = """
        # Schema

        Every table of a migrated database. `SchemaDocumentTests` write this page from the database, the migrations, `TablePurpose` and the store's
        statements, as PostgreSQL plans them for empty tables (`archived_entry` has no month then, so its indexes seem unused); `TROLLEY_WRITE_SCHEMA=1 script/test --filter SchemaDocumentTests`
        writes it again. An index that no statement uses may be what a constraint needs.

        """

    /// - Parameter connection: to a migrated database, with the service's settings.
    static func text(reading connection: Connection) async throws -> String {
        var document = SchemaDocument()
        var plans: [String: [String]] = [:]
        for statement in Store.statements { plans[statement.name] = try await connection.plan(of: statement) }
        let tables = try await connection.execute(
            """
            SELECT relname::text, relpersistence = 'u', relkind = 'p'
            FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            ORDER BY relname
            """)
        for row in tables {
            let (table, isUnlogged, isPartitioned) = try row.decode((String, Bool, Bool).self)
            try await document.add(
                table, kind: isUnlogged ? " (unlogged)" : isPartitioned ? " (by month)" : "", plans, connection)
        }
        return document.text
    }

    private mutating func add(
        _ table: String, kind: String, _ plans: [String: [String]], _ connection: Connection
    ) async throws {
        text += "\n## \(table)\(kind)\n\n"
        let purpose = TablePurpose.of(table)
        #expect(!purpose.isEmpty, "'\(table)' needs a comment above its CREATE TABLE that says what it is for")
        text += "\(purpose)\n\n"
        let columns = try await connection.execute(
            """
            SELECT attname::text, format_type(atttypid, atttypmod), attnotnull
            FROM pg_attribute
            WHERE attrelid = \(table)::regclass AND attnum > 0 AND NOT attisdropped
            ORDER BY attnum
            """
        ).map { row in
            let (name, type, isRequired) = try row.decode((String, String, Bool).self)
            return "`\(name)` \(type)\(isRequired ? "" : "?")"
        }
        text += "Columns (? may be null): \(columns.joined(separator: ", ")).\n\n"
        text += "Written by: \(Self.names(Store.statements.filter { Self.writes($0, table) }.map(\.name))).\n\n"
        text += "| index | used by |\n|---|---|\n"
        let indexes = try await connection.execute(
            "SELECT indexname::text, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = \(table) ORDER BY 1"
        )
        for row in indexes {
            let (index, definition) = try row.decode((String, String).self)
            let users = plans.filter { $0.value.contains { Self.uses($0, index) } }.map(\.key)
            let columns = definition.split(separator: " USING ").last.map(String.init) ?? ""
            text += "| `\(index)` \(columns) | \(Self.names(users)) |\n"
        }
    }

    private static func names(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.sorted().map { "`\($0)`" }.joined(separator: ", ")
    }

    private static func writes(_ statement: Statement, _ table: String) -> Bool {
        let words = statement.sql.split { $0.isWhitespace || $0 == "(" || $0 == ")" }
        return words.indices.contains { index in
            guard words[index] == table else { return false }
            let before = words[..<index].suffix(2).joined(separator: " ")
            return before == "INSERT INTO" || before == "DELETE FROM" || before.hasSuffix(" UPDATE")
                || before == "UPDATE"
                || before == "UPDATE ONLY"
        }
    }

    private static func uses(_ line: String, _ index: String) -> Bool {
        let words = line.split { $0 == " " || $0 == "," }
        guard let place = words.firstIndex(where: { $0 == index }), place > 0 else { return false }
        return words[place - 1] == "using" || line.contains("Bitmap Index Scan on") || line.contains("Arbiter Indexes:")
    }
}

extension Connection {
    /// The plan with which the server would run a statement whose plan is kept.
    func plan(of statement: Statement) async throws -> [String] {
        let parameters = (1...20).filter { statement.sql.contains("$\($0)") }
        let values = parameters.isEmpty ? "" : "(\(parameters.map { _ in "NULL" }.joined(separator: ", ")))"
        try await run(script: "PREPARE planned AS \(statement.sql)")
        let plan = try await execute("EXPLAIN EXECUTE planned\(unescaped: values)")
        try await run(script: "DEALLOCATE planned")
        return try plan.map { try $0.decode(String.self, at: 0) }
    }
}
