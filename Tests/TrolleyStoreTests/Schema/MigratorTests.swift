import FoundationEssentials
import Synchronization
import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyMigrations
@testable import TrolleyStore

@Suite("Migrator", .timeLimit(.minutes(20)))
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

    @Test(
        "asking for the status changes nothing",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func statusOnly() async throws {
        try await withPool { pool in
            _ = try await Migrator(pool: pool).status()
            let tables = try await pool.withConnection {
                try await $0.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
            }
            #expect(try tables[0].decode(Int64.self, at: 0) == 0)
        }
    }

    @Test("of eight concurrent migrations each step is done by one, and all return")
    func concurrently() async throws {
        try await withPool(connections: 8) { pool in
            let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
                for _ in 0..<8 { group.addTask { try await Migrator(pool: pool).migrate() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(applied.flatMap(\.self).sorted { $0.version < $1.version } == Migrations.all)
        }
    }

    @Test("a step that fails changes nothing, and those before it stay")
    func failing() async throws {
        try await withPool { pool async throws in
            let broken = Migrator(
                pool: pool,
                migrations: [
                    Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)"),
                    Migration(version: 2, name: "broken", sql: "CREATE TABLE second (id int); SELECT 1/0"),
                ])
            #expect(await failure { try await broken.migrate() }.contains("22012"))
            #expect(try await broken.status().map { $0.appliedAt != nil } == [true, false])
            let mended = Migration(version: 2, name: "mended", sql: "CREATE TABLE second (id int)")
            #expect(try await Migrator(pool: pool, migrations: [broken.migrations[0], mended]).migrate() == [mended])
        }
    }

    @Test(
        "no time-out ends a step: not the connection's, and not the server's for the database",
        .timeLimit(.minutes(20)))
    func long() async throws {
        try await withTestDatabase { url in
            let server = try await Connection.connect(PostgresConfiguration(url))
            try await server.run(
                script: """
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I SET statement_timeout = 2500', current_database());
                        EXECUTE format('ALTER DATABASE %I SET lock_timeout = 2500', current_database());
                    END $$
                    """)
            var configuration = try Store.configuration(url)
            // Statements that are no steps are done by then, also on a busy machine.
            configuration.statementTimeout = .milliseconds(2500)
            let pool = Pool(configuration, options: .patient(3))
            let slow = Migration(version: 1, name: "slow", sql: "LOCK TABLE gate IN ACCESS EXCLUSIVE MODE")
            let seen = Progress()
            let other = try await Connection.connect(.patient(url))
            let keeper = try await Connection.connect(.patient(url))
            try await server.run(script: "CREATE TABLE gate (id int)")
            try await keeper.run(script: "BEGIN")
            try await keeper.run(script: "LOCK TABLE gate IN ACCESS SHARE MODE")
            try await other.run(script: "BEGIN")
            #expect(try await other.execute(MigrationSQL.tryLock)[0].decode(Bool.self, at: 0))
            let migrating = Task {
                try await Migrator(pool: pool, migrations: [slow]).migrate(every: .milliseconds(50)) { seen.append($0) }
            }
            // Longer than either timeout, and shorter than a step waits before it tries again, by the server's clock.
            func somebodyHasWaited() async throws -> Bool {
                try await !server.execute(
                    """
                    SELECT FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                        AND clock_timestamp() - state_change > interval '3500 ms'
                    """
                ).isEmpty
            }
            try await eventually {
                seen.events
            } until: {
                !$0.isEmpty
            }
            // Sleeps: no time-out of 2.5 s may end it.
            try await Task.sleep(for: .milliseconds(3500))
            #expect(seen.events == [.waitingForOther])
            try await other.run(script: "COMMIT")
            func isRunning() -> Bool {
                seen.events.contains { if case .running(slow, _, nil) = $0 { true } else { false } }
            }
            try await eventually("the step has waited for longer and is running") {
                try await somebodyHasWaited() && isRunning()
            }
            try await keeper.run(script: "COMMIT")
            #expect(try await migrating.value == [slow])
            #expect(seen.events.prefix(2) == [.waitingForOther, .applying(slow)])
            await pool.close()
        }
    }

    @Test("it says how far the index is that a step builds")
    func progress() {
        let index = MigrationProgress.Index(table: "entry", phase: "building index: scanning table", share: 0.417)
        let migration = Migration(version: 10, name: "ids-by-list", sql: "")
        #expect(
            MigrationProgress.running(migration, for: .seconds(20), index).description
                == "migration 10 (ids-by-list) has run for 20 s, index on entry: building index: scanning table, 41%")
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

    @Test("a database that a newer binary has migrated is refused with advice")
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

    @Test("a program runs on a later schema that says so, and doesn't on one that doesn't")
    func compatible() async throws {
        try await withPool { pool in
            let first = Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)")
            let second = Migration(version: 2, name: "second", sql: "CREATE TABLE second (id int)", runsWith: 1)
            let third = Migration(version: 3, name: "third", sql: "CREATE TABLE third (id int)", runsWith: 2)
            let older = Migrator(pool: pool, migrations: [first])
            try await Migrator(pool: pool, migrations: [first, second]).migrate()
            #expect(try await older.migrate().isEmpty)
            #expect(try await older.status().map(\.version) == [1])
            try await older.requireSchema()
            try await Migrator(pool: pool, migrations: [first, second, third]).migrate()
            await #expect(throws: MigrationError.newerDatabase(version: 3, newest: 1)) { try await older.migrate() }
            #expect(try await Migrator(pool: pool, migrations: [first, second]).migrate().isEmpty)
        }
    }

    @Test("a command makes the schema in an empty database, and migrates no other one")
    func required() async throws {
        try await withPool { pool in
            let first = Migration(version: 1, name: "first", sql: "CREATE TABLE first (id int)")
            let second = Migration(version: 2, name: "second", sql: "CREATE TABLE second (id int)")
            try await Migrator(pool: pool, migrations: [first]).requireSchema()
            let newer = Migrator(pool: pool, migrations: [first, second])
            await #expect(throws: MigrationError.missing([2])) { try await newer.requireSchema() }
            #expect(try await newer.status().map { $0.appliedAt != nil } == [true, false])
            #expect(MigrationError.missing([2]).description.contains("run trolleyd migrate"))
            try await newer.migrate()
            try await newer.requireSchema()
        }
    }

    @Test("an index is built while others write to its table, and again after an interruption")
    func online() async throws {
        try await withPool { pool in
            let table = Migration(version: 1, name: "table", sql: "CREATE TABLE note (id int, list int)")
            try await Migrator(pool: pool, migrations: [table]).migrate()
            try await pool.withConnection { connection in
                try await connection.run(script: "INSERT INTO note SELECT 1, 1 FROM generate_series(1, 2)")
                // What an interrupted try leaves: of a unique index that could not be built.
                _ = await failure {
                    try await connection.run(script: "CREATE UNIQUE INDEX CONCURRENTLY note_by_list ON note (list)")
                }
                #expect(try await connection.execute(MigrationSQL.invalidIndexes).count == 1)
            }
            let index = Migration(
                version: 2, name: "index",
                sql:
                    "CREATE INDEX CONCURRENTLY note_by_list ON note (list); CREATE INDEX CONCURRENTLY note_by_id ON note (id)",
                isOnline: true)
            let seen = Progress()
            let migrating = try await pool.withTransaction { writer in
                // A service that has just written, and whose transaction goes on.
                try await writer.run(script: "INSERT INTO note VALUES (2, 2)")
                let migrating = Task {
                    try await Migrator(
                        pool: Pool(pool.configuration, options: .patient(2)), migrations: [table, index]
                    )
                    .migrate { seen.append($0) }
                }
                try await eventually {
                    seen.events
                } until: {
                    !$0.isEmpty
                }
                // Another one is not kept from writing, though the index waits for the first.
                try await pool.withConnection { other in
                    try await other.run(script: "SET statement_timeout = '10s'; INSERT INTO note VALUES (3, 3)")
                }
                return migrating
            }
            #expect(try await migrating.value == [index])
            let (indexes, invalid) = try await pool.withConnection { connection in
                (
                    try await connection.execute("SELECT FROM pg_indexes WHERE tablename = 'note'").count,
                    try await connection.execute(MigrationSQL.invalidIndexes).count
                )
            }
            #expect(indexes == 2 && invalid == 0)
        }
    }

    @Test(
        "a step that needs a table for itself doesn't hold up what services do with it for long, and comes in the end")
    func blocked() async throws {
        try await withPool(connections: 4) { pool in
            let table = Migration(version: 1, name: "table", sql: "CREATE TABLE gate (id int)")
            try await Migrator(pool: pool, migrations: [table]).migrate()
            let step = Migration(version: 2, name: "step", sql: "ALTER TABLE gate ADD note text")
            let seen = Progress()
            let migrating = try await pool.withTransaction { reader in
                _ = try await reader.execute("SELECT FROM gate")
                let migrating = Task {
                    try await Migrator(pool: pool, migrations: [table, step]).migrate { seen.append($0) }
                }
                try await eventually {
                    seen.events
                } until: {
                    $0.contains(.blocked(step))
                }
                return migrating
            }
            #expect(try await migrating.value == [step])
            #expect(seen.events.prefix(2) == [.applying(step), .blocked(step)])
        }
    }

    @Test("the binary has exactly the files of migrations/, in their order")
    func filesOnDisk() throws {
        let directory = URL(filePath: #filePath).appending(path: "../../../../migrations").standardized
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
            let pool = Pool(try Store.configuration(url).holdingLocks(), options: .patient(connections))
            do { try await body(pool) } catch {
                await pool.close()
                throw error
            }
            await pool.close()
        }
    }
}

/// A migrator's messages.
private final class Progress: Sendable {
    private let all = Mutex<[MigrationProgress]>([])

    var events: [MigrationProgress] { all.withLock(\.self) }

    func append(_ event: MigrationProgress) { all.withLock { $0.append(event) } }
}
