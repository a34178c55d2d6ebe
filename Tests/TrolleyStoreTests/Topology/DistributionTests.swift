import FoundationEssentials
import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

/// Without Citus, these tests check the schema and the statements against its documented rules (docs.citusdata.com,
/// 'Create and modify distributed objects', 'SQL support and workarounds'). `OneShardTests` ask Citus itself.
@Suite("Distribution by list", .timeLimit(.minutes(20)))
struct DistributionTests {
    @Test("every unique key of a distributed table has the list's id in it")
    func uniqueKeys() async throws {
        let violations = try await ask(
            """
            SELECT format('%s: %s', key.conrelid::regclass, key.conname)
            FROM pg_constraint AS key
            WHERE key.contype IN ('p', 'u') AND key.connamespace = 'public'::regnamespace
                AND key.conrelid::regclass::text IN (\(Distribution.distributedTables))
                AND NOT EXISTS (
                    SELECT FROM pg_attribute
                    WHERE attrelid = key.conrelid AND attnum = ANY (key.conkey)
                        AND attname = CASE WHEN key.conrelid = 'list'::regclass THEN 'id' ELSE 'list_id' END)
            UNION ALL
            SELECT format('%s: %s', index.indrelid::regclass, index.indexrelid::regclass)
            FROM pg_index AS index
            JOIN pg_class ON pg_class.oid = index.indexrelid AND relnamespace = 'public'::regnamespace
            WHERE index.indisunique
                AND index.indrelid <> 'list'::regclass
                AND index.indrelid::regclass::text IN (\(Distribution.distributedTables))
                AND NOT EXISTS (
                    SELECT FROM pg_attribute
                    WHERE attrelid = index.indrelid AND attnum = ANY (index.indkey::int2[]) AND attname = 'list_id')
            """)
        #expect(violations == [])
    }

    @Test("a foreign key of a distributed table is on the list's id, or leads to a table that every node has")
    func foreignKeys() async throws {
        let violations = try await ask(
            """
            SELECT format('%s: %s', key.conrelid::regclass, key.conname)
            FROM pg_constraint AS key
            WHERE key.contype = 'f' AND key.connamespace = 'public'::regnamespace
                AND EXISTS (
                    SELECT FROM pg_attribute
                    WHERE attrelid = key.confrelid
                        AND (attname = 'list_id' OR key.confrelid = 'list'::regclass AND attname = 'id'))
                AND NOT EXISTS (
                    SELECT FROM pg_attribute
                    WHERE attrelid = key.conrelid AND attnum = ANY (key.conkey) AND attname = 'list_id')
            """)
        #expect(violations == [])
    }

    @Test("no statement joins two of the lists' tables but by the list's id")
    func joins() async throws {
        let tables = Set(try await ask(Distribution.distributedTables))
        #expect(tables.isSuperset(of: ["list", "member", "entry", "event", "archived_entry", "archived_id"]))
        // UNION does not join its parts.
        let selects = Store.statements.flatMap { statement in
            statement.sql.components(separatedBy: "UNION").map { (name: statement.name, sql: $0) }
        }
        // Statements about several lists, on one server or in one shard.
        let together = [AppendSQL.batch.name, AppendSQL.advanceInShard.name, ArchiveSQL.archive.name]
        for statement in selects where !together.contains(statement.name) {
            let words = statement.sql.split(whereSeparator: { " \n(),".contains($0) }).map(String.init)
            var names: [String] = []
            for (index, word) in words.enumerated() where ["FROM", "JOIN", "UPDATE", "INTO"].contains(word) {
                guard index + 1 < words.count, tables.contains(words[index + 1]) else { continue }
                let hasAlias = index + 3 < words.count && words[index + 2] == "AS"
                names.append(hasAlias ? words[index + 3] : words[index + 1])
            }
            guard Set(names).count > 1 else { continue }
            for name in Set(names) {
                let column = ["list", "owner", "owned", "seen"].contains(name) ? "\(name).id" : "\(name).list_id"
                let isKeyed =
                    statement.sql.contains("\(column) = ") || statement.sql.contains("= \(column)")
                    || statement.sql.contains("WHERE list_id = $1")
                    // Inserted rows have the list id of the selected rows.
                    || statement.sql.contains("INSERT INTO \(name)")
                #expect(isKeyed, "\(statement.name): \(name)")
            }
        }
    }

    @Test("no statement takes the time in the CASE or coalesce of an UPDATE, or in RETURNING: Citus refuses these")
    func times() {
        // The tables of push are on one node.
        let updates = #/UPDATE (?!push_)[a-z_]+\s+SET\s(?<set>.*?)\s(?:FROM|WHERE)\s/#.dotMatchesNewlines()
        let branches = #/\bCASE\s.*?\sEND\b|\bcoalesce\([^)]*\)/#.dotMatchesNewlines()
        for statement in Store.statements {
            let set = statement.sql.matches(of: updates).flatMap { $0.set.matches(of: branches).map(\.0) }
            let returned = statement.sql.matches(of: #/RETURNING\s[^)]*/#).map(\.0)
            for part in set + returned { #expect(!part.contains("now("), "\(statement.name): \(part)") }
        }
    }

    @Test(
        "without Citus nothing is distributed, and asking for it changes nothing", .enabled(if: TestNodes.shared == nil)
    )
    func withoutCitus() async throws {
        try await TestStore.with { test in
            let tables = try await Distribution(pool: test.pool).distribute()
            #expect(tables.isEmpty)
        }
    }

    private func ask(_ sql: String) async throws -> [String] {
        var found: [String] = []
        try await TestStore.with { test in
            let rows = try await test.pool.withConnection { try await $0.execute(Query(unescaped: sql)) }
            found = try rows.map { try $0.decode(String.self, at: 0) }
        }
        return found
    }
}
