import Foundation
import Subprocess
import Testing
import TrolleyMigrations
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

/// The backup that `trolleyd migrate` and `serve` make before they migrate a database.
@Suite(.timeLimit(.minutes(20))) struct MigrationBackupTests {
    /// Calls `body` with the address of a database that lacks the last two migrations, and with an empty directory.
    private func withOldDatabase(_ body: (_ url: String, _ directory: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await withTestDatabase { url in
                let pool = Pool(try Store.configuration(url))
                do {
                    try await Migrator(pool: pool, migrations: Array(Migrations.all.dropLast(2))).migrate()
                } catch {
                    await pool.close()
                    throw error
                }
                await pool.close()
                try await body(url, directory)
            }
        }
    }

    private func backups(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    private func trolleyd(_ arguments: String...) async throws -> (succeeded: Bool, output: String, errors: String) {
        try await trolleyd(arguments)
    }

    private func trolleyd(_ arguments: [String]) async throws -> (succeeded: Bool, output: String, errors: String) {
        let result = try await Subprocess.run(
            Programs.trolleyd, arguments: Arguments(arguments), input: .none, output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        return (result.terminationStatus.isSuccess, result.standardOutput, result.standardError)
    }

    private func isMigrated(_ url: String) async throws -> Bool {
        try await !trolleyd("migrate", "--status", "--database-url", url).output.contains("not applied")
    }

    @Test func `a database that lacks migrations is backed up first, once, and the backup can be restored`()
        async throws
    {
        try await withOldDatabase { url, directory in
            let folder = "\(directory)/deep/backups"
            // Of earlier ones the two newest stay, and so does what isn't one.
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let others = (1...3).map { "before-migration-9-2026010\($0)T000000Z.dump" }
            for name in others + ["mine.dump"] { try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(name)")) }

            let arguments = ["migrate", "--database-url", url, "--backup-directory", folder]
            let first = try await trolleyd(arguments)
            #expect(first.succeeded, "\(first.errors)")
            #expect(try await isMigrated(url))
            let next = Migrations.all.count - 1
            let made = backups(in: folder).filter { $0.hasPrefix("before-migration-\(next)-") }
            #expect(made.count == 1)
            #expect(backups(in: folder) == (made + others.dropFirst() + ["mine.dump"]).sorted())
            #expect(first.errors.contains("backing up before migration \(next)"), "\(first.errors)")

            #expect(try await trolleyd(arguments).succeeded)
            #expect(backups(in: folder).count == 4, "nothing is missing, so nothing is backed up")
            let name = try #require(made.first)
            let restored = try await trolleyd("restore", "\(folder)/\(name)", "--data-directory", "\(directory)/new")
            #expect(restored.succeeded, "\(restored.errors)")
        }
    }

    @Test func `without a backup nothing is migrated, unless it is not wanted`() async throws {
        try await withOldDatabase { url, directory in
            try Data().write(to: URL(filePath: "\(directory)/file"))
            let folder = "\(directory)/file/backups"
            let arguments = ["migrate", "--database-url", url, "--backup-directory", folder]
            let failed = try await trolleyd(arguments)
            #expect(!failed.succeeded)
            for words in ["nothing has changed", "--backup-directory", "--no-backup"] {
                #expect(failed.errors.contains(words), "\(failed.errors)")
            }
            #expect(try await !isMigrated(url))
            #expect(try await trolleyd(arguments + ["--no-backup"]).succeeded)
            #expect(try await isMigrated(url))
        }
    }

    @Test func `an empty database needs no backup`() async throws {
        try await withTemporaryDirectory { directory in
            let made = try await trolleyd("migrate", "--data-directory", "\(directory)/data")
            #expect(made.succeeded && !FileManager.default.fileExists(atPath: "\(directory)/data/backups"))
        }
    }
}
