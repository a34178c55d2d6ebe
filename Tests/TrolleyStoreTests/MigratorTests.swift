import FoundationEssentials
import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyMigrations
@testable import TrolleyStore

@Suite("Migrator")
struct MigratorTests {
    @Test("a fresh database gets every step, and the second time none")
    func freshThenAgain() async throws {
        try await withPool { pool in
            let migrator = Migrator(pool: pool)
            #expect(try await migrator.status().map(\.appliedAt) == Migrations.all.map { _ in nil })
            #expect(try await migrator.migrate() == Migrations.all)
            #expect(try await migrator.migrate().isEmpty)
            let status = try await migrator.status()
            #expect(status.map(\.name) == Migrations.all.map(\.name))
            #expect(status.allSatisfy { $0.appliedAt != nil })
        }
    }

    @Test("asking for the status changes nothing")
    func statusOnly() async throws {
        try await withPool { pool in
            _ = try await Migrator(pool: pool).status()
            let tables = try await pool.withConnection {
                try await $0.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
            }
            #expect(try tables[0].decode(Int64.self, at: 0) == 0)
        }
    }

    @Test("of eight that migrate at once one does it and all return")
    func concurrently() async throws {
        try await withPool(connections: 8) { pool in
            let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
                for _ in 0..<8 { group.addTask { try await Migrator(pool: pool).migrate() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(applied.filter { !$0.isEmpty } == [Migrations.all])
        }
    }

    @Test("a step that fails takes the ones before it back")
    func allOrNothing() async throws {
        try await withPool { pool async throws in
            let broken = Migrator(
                pool: pool,
                migrations: [
                    Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)"),
                    Migration(version: 2, name: "broken", sql: "CREATE TABLE second (id int); SELECT 1/0"),
                ])
            #expect(await failure { try await broken.migrate() }.contains("22012"))
            #expect(try await broken.status().allSatisfy { $0.appliedAt == nil })
            #expect(try await Migrator(pool: pool).migrate() == Migrations.all)
        }
    }

    @Test("new steps follow those that are applied")
    func further() async throws {
        try await withPool { pool in
            let first = Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)")
            let second = Migration(version: 2, name: "second", sql: "ALTER TABLE first ADD name text")
            try await Migrator(pool: pool, migrations: [first]).migrate()
            #expect(try await Migrator(pool: pool, migrations: [first, second]).migrate() == [second])
        }
    }

    @Test("a step whose text was changed after it was applied is refused")
    func changed() async throws {
        try await withPool { pool in
            let original = Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)")
            let edited = Migration(version: 1, name: "first", sql: "CREATE TABLE first (id bigint)")
            try await Migrator(pool: pool, migrations: [original]).migrate()
            let migrator = Migrator(pool: pool, migrations: [edited])
            await #expect(throws: MigrationError.changed(version: 1, name: "first")) { try await migrator.migrate() }
            await #expect(throws: MigrationError.changed(version: 1, name: "first")) { try await migrator.status() }
        }
    }

    @Test("a database that a newer binary has migrated is refused, with words that say what to do")
    func newer() async throws {
        try await withPool { pool in
            let first = Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)")
            let second = Migration(version: 2, name: "second", sql: "CREATE TABLE second (id int)")
            try await Migrator(pool: pool, migrations: [first, second]).migrate()
            let older = Migrator(pool: pool, migrations: [first])
            let expected = MigrationError.newerDatabase(version: 2, newest: 1)
            await #expect(throws: expected) { try await older.migrate() }
            await #expect(throws: expected) { try await older.status() }
            #expect(expected.description.contains("install a newer trolleyd"))
        }
    }

    @Test("the binary has exactly the files of migrations/, in their order")
    func filesOnDisk() throws {
        let directory = URL(filePath: #filePath).appending(path: "../../../migrations").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        let expected = Migrations.all.map { migration in
            let number = String(migration.version)
            return "\(String(repeating: "0", count: 4 - number.count))\(number)-\(migration.name).sql"
        }
        #expect(files == expected)
        #expect(Migrations.all.map(\.version) == Array(1...Migrations.all.count))
        for (file, migration) in zip(files, Migrations.all) {
            #expect(try String(contentsOf: directory.appending(path: file), encoding: .utf8) == migration.sql)
        }
    }

    private func withPool(connections: Int = 2, _ body: (Pool) async throws -> Void) async throws {
        try await withTestDatabase { url in
            let pool = Pool(try PostgresConfiguration(url), options: .patient(connections))
            do { try await body(pool) } catch {
                await pool.close()
                throw error
            }
            await pool.close()
        }
    }
}
