import Crypto
package import TrolleyJournal
package import TrolleyMigrations
package import TrolleyPostgres

/// Applies migrations to a database and reports which are applied.
package struct Migrator: Sendable {
    let pool: Pool
    let migrations: [Migration]

    package init(pool: Pool, migrations: [Migration] = Migrations.all) {
        self.pool = pool
        self.migrations = migrations
    }

    /// A migration, and whether the database has it.
    package struct Step: Hashable, Sendable {
        package let version: Int
        package let name: String
        /// nil: not applied yet.
        package let appliedAt: Timestamp?
    }

    /// Every migration that the binary contains. Changes nothing.
    /// - Throws: `MigrationError`, `PostgresError`.
    package func status() async throws -> [Step] {
        try await pool.withTransaction(isolation: .readOnly) { connection in
            let exists = try await connection.execute(MigrationSQL.tableExists)
            let applied = try exists[0].decode(Bool.self, at: 0) ? try await appliedSteps(connection) : [:]
            return migrations.map { Step(version: $0.version, name: $0.name, appliedAt: applied[$0.version]) }
        }
    }

    /// Makes the schema in an empty database. In another one it changes nothing: services of an earlier version may run.
    /// - Throws: `MigrationError.missing`, when migrations are missing; as ``status()``.
    package func requireSchema() async throws {
        let steps = try await status()
        let missing = steps.filter { $0.appliedAt == nil }
        if missing.count == steps.count {
            try await migrate()
        } else if !missing.isEmpty {
            throw MigrationError.missing(missing.map(\.version))
        }
    }

    /// Applies the missing migrations, each by itself: those before one that fails stay. On a Citus cluster it then
    /// distributes new tables (``Distribution``). Several processes may call it at once: one applies a migration, the others
    /// wait. No time-out ends it, neither this process's nor the server's.
    /// - Parameters:
    ///   - interval: how often progress is reported.
    ///   - report: called with the progress, on any thread.
    /// - Returns: the migrations that this call applied.
    /// - Throws: `MigrationError`, `PostgresError`; then the migration that failed has changed nothing, or can be repeated
    ///   (``Migration/isOnline``).
    @discardableResult
    package func migrate(
        every interval: Duration = .seconds(10), report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws -> [Migration] {
        var applied: [Migration] = []
        var told: MigrationProgress?
        func tell(_ progress: MigrationProgress?) {
            if let progress, told != progress { report(progress) }
            told = progress
        }
        loop: while true {
            let isRepeated = if case .blocked = told { true } else { false }
            switch try await applyNext(every: interval, report: { if !isRepeated || !$0.isBeginning { report($0) } }) {
            case .applied(let migration):
                applied.append(migration)
                tell(nil)
                continue
            case .blocked(let migration): tell(.blocked(migration))
            case .otherMigrates: tell(.waitingForOther)
            case .nothing: break loop
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        try await Distribution(pool: pool).distribute()
        return applied
    }

    private enum Outcome {
        case applied(Migration)
        /// Somebody else has a lock that the migration needs.
        case blocked(Migration)
        /// Another process applies one.
        case otherMigrates
        /// None is missing.
        case nothing
    }

    private func applyNext(
        every interval: Duration, report: @escaping @Sendable (MigrationProgress) -> Void
    ) async throws -> Outcome {
        do {
            return try await pool.withTransaction(statementTimeout: .unlimited) { connection in
                try await applyNext(on: connection, every: interval, report: report)
            }
        } catch let blocked as Blocked {
            return .blocked(blocked.migration)
        }
    }

    private func applyNext(
        on connection: Connection, every interval: Duration, report: @escaping @Sendable (MigrationProgress) -> Void
    ) async throws -> Outcome {
        for command in MigrationSQL.migrationSettings(lockTimeout: "5s") { try await connection.run(script: command) }
        guard try await connection.execute(MigrationSQL.tryLock)[0].decode(Bool.self, at: 0) else {
            return .otherMigrates
        }
        guard let migration = try await missing(connection).first else { return .nothing }
        report(.applying(migration))
        if migration.isOnline {
            // The last statement's portal stays open, with its snapshot, and the index would wait for it. This takes its place.
            try await connection.run(script: "SELECT")
            try await applyOnline(migration, every: interval, report: report)
        } else {
            do {
                try await run(Script(migration.sql).commands, of: migration, on: connection, every: interval, report)
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                throw Blocked(migration: migration)
            }
        }
        try await connection.execute(
            MigrationSQL.record,
            [Int32(migration.version), migration.name, migration.checksum, Int32(migration.runsWith)])
        return .applied(migration)
    }

    /// Takes back what a migration has done that was blocked.
    private struct Blocked: Error {
        let migration: Migration
    }

    /// The migrations that the database lacks, in a transaction that migrates.
    private func missing(_ connection: Connection) async throws -> [Migration] {
        try await connection.run(script: MigrationSQL.createTable)
        let applied = try await appliedSteps(connection)
        let missing = migrations.filter { applied[$0.version] == nil }
        if !missing.isEmpty, try await !connection.execute(MigrationSQL.hasRunsWith)[0].decode(Bool.self, at: 0) {
            try await connection.run(script: MigrationSQL.addRunsWith)
        }
        return missing
    }

    /// Runs each command by itself, on a connection of its own without a transaction. The caller's transaction has the lock.
    private func applyOnline(
        _ migration: Migration, every interval: Duration, report: @escaping @Sendable (MigrationProgress) -> Void
    ) async throws {
        var configuration = pool.configuration
        configuration.statementTimeout = .unlimited
        // It closes with its last reference.
        let connection = try await Connection.connect(configuration)
        // A pooler would lend a connection with these settings to others.
        if configuration.preparesStatements {
            for limit in ["statement_timeout", "lock_timeout"] { try await connection.run(script: "SET \(limit) = 0") }
        }
        // An earlier try may have been interrupted, or have come to its end without recording that.
        let invalid = try await connection.execute(MigrationSQL.invalidIndexes).map { row in
            try row.decode(String.self, at: 0)
        }
        for index in invalid where migration.sql.contains(" \(index) ") {
            try await connection.run(script: "DROP INDEX CONCURRENTLY \(index)")
        }
        let commands = Script(migration.sql).commands.map { command in
            command.replacing("INDEX CONCURRENTLY ", with: "INDEX CONCURRENTLY IF NOT EXISTS ")
        }
        try await run(commands, of: migration, on: connection, every: interval, report)
    }

    private func run(
        _ commands: [String], of migration: Migration, on connection: Connection, every interval: Duration,
        _ report: @escaping @Sendable (MigrationProgress) -> Void
    ) async throws {
        let watch = Task { [process = try await connection.backendPID] in
            await self.watch(migration, appliedBy: process, every: interval, report: report)
        }
        defer { watch.cancel() }
        for command in commands { try await connection.run(script: command) }
    }

    /// Reports a migration's progress until it is cancelled.
    private func watch(
        _ migration: Migration, appliedBy process: Int32, every interval: Duration,
        report: @Sendable (MigrationProgress) -> Void
    ) async {
        let start = ContinuousClock.now
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            var index: MigrationProgress.Index?
            do {
                let rows = try await pool.withConnection { try await $0.execute(MigrationSQL.progress, [process]) }
                index = try rows.first.map { row in
                    let (table, phase, share) = try row.decode((String, String, Double?).self)
                    return MigrationProgress.Index(table: table, phase: phase, share: share)
                }
            } catch {
                // Without a second connection, the elapsed time is still reported.
            }
            if Task.isCancelled { return }
            report(.running(migration, for: ContinuousClock.now - start, index))
        }
    }

    private func appliedSteps(_ connection: Connection) async throws -> [Int: Timestamp] {
        var applied: [Int: Timestamp] = [:]
        let newest = migrations.last?.version ?? 0
        for row in try await connection.execute(MigrationSQL.applied) {
            let (version, name, checksum, time, runsWith) = try row.decode(
                (Int32, String, [UInt8], Timestamp, Int32).self)
            guard let known = migrations.first(where: { $0.version == Int(version) }) else {
                if Int(runsWith) <= newest { continue }
                throw MigrationError.newerDatabase(version: Int(version), newest: newest)
            }
            guard known.checksum == checksum else { throw MigrationError.changed(version: known.version, name: name) }
            applied[known.version] = time
        }
        return applied
    }
}

/// Why a schema can't be used.
package enum MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A later version of the service has migrated the database, and this program can't run on it any more.
    case newerDatabase(version: Int, newest: Int)
    /// The database lacks migrations. Services of an earlier version may run on it.
    case missing([Int])
    /// An applied migration differs from this binary's.
    case changed(version: Int, name: String)

    package var description: String {
        switch self {
        case .newerDatabase(let version, let newest):
            "the database is at migration \(version), this trolleyd knows only up to \(newest): install a newer trolleyd"
        case .missing(let versions):
            "the database lacks migration \(versions.map(String.init).joined(separator: ", ")): run trolleyd migrate, "
                + "or start the new trolleyd, which does it"
        case .changed(let version, let name):
            "migration \(version) (\(name)) was applied with another text than this trolleyd has: "
                + "install the trolleyd that fits this database"
        }
    }
}

extension Migration {
    /// SHA-256 of the text.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }
}
