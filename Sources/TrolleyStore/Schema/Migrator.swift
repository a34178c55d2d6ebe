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

    /// Applies the missing migrations, all or nothing. On a Citus cluster it then distributes new tables
    /// (``Distribution``). Several processes may call it at once: one migrates, the others wait. No time-out ends it,
    /// neither this process's nor the server's.
    /// - Parameters:
    ///   - interval: how often progress is reported.
    ///   - report: called with the progress, on any thread.
    /// - Returns: the migrations that this call applied.
    /// - Throws: `MigrationError`, `PostgresError`; then the database is unchanged.
    @discardableResult
    package func migrate(
        every interval: Duration = .seconds(10), report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws -> [Migration] {
        let applied = try await apply(every: interval, report: report)
        try await Distribution(pool: pool).distribute()
        return applied
    }

    private func apply(
        every interval: Duration, report: @escaping @Sendable (MigrationProgress) -> Void
    ) async throws -> [Migration] {
        try await pool.withTransaction(statementTimeout: .unlimited) { connection in
            for command in MigrationSQL.migrationSettings { try await connection.run(script: command) }
            if try await !connection.execute(MigrationSQL.tryLock)[0].decode(Bool.self, at: 0) {
                report(.waitingForOther)
                try await connection.execute(MigrationSQL.lock)
            }
            try await connection.run(script: MigrationSQL.createTable)
            let applied = try await appliedSteps(connection)
            let missing = migrations.filter { applied[$0.version] == nil }
            for migration in missing {
                report(.applying(migration))
                let watch = Task { [process = try await connection.backendPID] in
                    await self.watch(migration, appliedBy: process, every: interval, report: report)
                }
                defer { watch.cancel() }
                for command in Script(migration.sql).commands { try await connection.run(script: command) }
                try await connection.execute(
                    MigrationSQL.record, [Int32(migration.version), migration.name, migration.checksum])
            }
            return missing
        }
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
        for row in try await connection.execute(MigrationSQL.applied) {
            let (version, name, checksum, time) = try row.decode((Int32, String, [UInt8], Timestamp).self)
            guard let known = migrations.first(where: { $0.version == Int(version) }) else {
                throw MigrationError.newerDatabase(version: Int(version), newest: migrations.last?.version ?? 0)
            }
            guard known.checksum == checksum else { throw MigrationError.changed(version: known.version, name: name) }
            applied[known.version] = time
        }
        return applied
    }
}

/// Why a schema can't be used.
package enum MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A later version of the service has migrated the database.
    case newerDatabase(version: Int, newest: Int)
    /// An applied migration differs from this binary's.
    case changed(version: Int, name: String)

    package var description: String {
        switch self {
        case .newerDatabase(let version, let newest):
            "the database is at migration \(version), this trolleyd knows only up to \(newest): install a newer trolleyd"
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
