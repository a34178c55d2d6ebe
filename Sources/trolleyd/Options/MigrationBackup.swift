import ArgumentParser
import FoundationEssentials
import Logging
import TrolleyPostgres
import TrolleyStore

/// The backup before a migration. Migrations go forward only, so it is the way back.
struct MigrationBackup: ParsableArguments {
    @Option(help: "Where the backup before a migration goes. (default: backups, in the data directory)")
    var backupDirectory: String?

    @Flag(help: "Migrate without a backup.")
    var noBackup = false

    /// How many of these backups stay.
    private static let kept = 3
    private static let prefix = "before-migration-"

    /// Backs up a database that has a schema and lacks migrations; any other needs none.
    /// - Throws: `CommandError` when it can't be backed up. Nothing has changed then.
    func run(_ settings: Settings, on pool: Pool, of database: DatabaseOptions, logger: Logger) async throws {
        if try settings.isOn(noBackup, "no.backup") { return }
        let steps = try await Migrator(pool: pool).status()
        guard let next = steps.first(where: { $0.appliedAt == nil })?.version, steps[0].appliedAt != nil else { return }
        let directory = try BackupFile.absolute(
            settings.value(backupDirectory, "backup.directory", default: "\(database.directory(settings))/backups"))
        let time = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(Date())
        let file = "\(directory)/\(Self.prefix)\(next)-\(time).dump"
        logger.notice("backing up before migration \(next)", metadata: ["file": "\(file)"])
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            _ = try await BackupFile.dump(pool, of: database, settings, to: file)
        } catch {
            throw CommandError(
                """
                The database can't be backed up before migration \(next), and nothing has changed: \(userFacing(error)) \
                Mend that, name another directory by --backup-directory, or migrate without a backup by --no-backup.
                """)
        }
        logger.notice("backed up", metadata: ["file": "\(file)", "bytes": "\(BackupFile.size(file))"])
        removeOld(in: directory)
    }

    /// Removes all but the newest of these backups.
    private func removeOld(in directory: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let old = names.filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(".dump") }
            .sorted { Self.time(of: $0) < Self.time(of: $1) }.dropLast(Self.kept)
        for name in old { try? FileManager.default.removeItem(atPath: "\(directory)/\(name)") }
    }

    /// The time in a file's name, which sorts as text.
    private static func time(of name: String) -> Substring { name.split(separator: "-").last ?? "" }
}
