import ArgumentParser
import FoundationEssentials
import Logging
import TrolleyCluster
import TrolleyJournal
import TrolleyMigrations
import TrolleyPostgres
import TrolleyStore

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a file of `trolleyd backup` into an empty database.",
        discussion: """
            Restores all or nothing, and begins a new epoch: every device uploads again the changes that were \
            confirmed in the last 30 days, and fetches its lists again. A database that is not empty is refused, \
            unless you give --replace. Running services wait meanwhile, and continue with the restored database.

            All sessions end, because the file may have sessions that were ended since. People sign in again; devices \
            keep their lists and unsent changes. Passwords, invitations and memberships are those of the backup: see \
            docs/recovery.md.

            Restore only files that you trust: a backup has SQL, which runs with the rights of the database's user. \
            Files with other objects than those of Trolley's schema are refused.

            Example:
              trolleyd restore /var/backups/trolley-2026-11-21.dump --data-directory /var/lib/trolley
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Flag(help: "Replace everything in the database; its present content is lost.")
    var replace = false

    @Flag(help: "Keep the backup's sessions. Also revives sessions that were ended since the backup.")
    var keepSessions = false

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let path = BackupFile.absolute(file)
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandError("\(file) can't be read. Check that it exists and that you may read it.")
        }
        let settings = Settings()
        let logger = Logger(label: "trolleyd", level: .warning)
        let started = ContinuousClock.now
        let (tables, epoch, sessions) = try await database.withPool(settings, logger: logger, for: .create) { pool in
            let target = RestoreTarget(pool: pool)
            let present = try await target.tables
            guard replace || present == 0 else {
                throw CommandError(
                    "This database is not empty. Restore into an empty one, or give --replace: then its present content is lost."
                )
            }
            let programs = try await BackupPrograms.find(
                forServer: target.serverVersion, dataDirectory: database.ownDirectory(settings))
            let (tables, version) = try await check(path, with: programs)
            let services = try await target.services
            guard version == Self.newest || services == 0 else {
                throw CommandError(
                    "An earlier version of trolleyd wrote \(file), and a running service can't read it. Stop all services on this database first."
                )
            }
            let (connection, password) = pool.configuration.forCommandLineTools
            var progress = ProgressReport("restore", of: tables)
            try await programs.restore(
                path, into: connection, password: password, before: RestoreTarget.emptyDatabaseScript,
                between: RestoreTarget.mending,
                after: RestoreTarget.beginEpochScript + (keepSessions ? "" : RestoreTarget.endSessionsScript)
            ) { progress.note($0) }
            // The backup may be of an earlier version.
            try await Migrator(pool: pool).migrate()
            return (tables, try await Store(pool: pool).checkEpoch(), try await target.sessions)
        }
        let seconds = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1000
        if answer.json {
            try printJSON(
                Report(
                    file: path, tables: tables, epoch: epoch.id.description, sessionsKept: sessions, seconds: seconds))
        } else {
            say("\(count(tables, "table")) restored from \(file); epoch \(epoch.id) has begun")
            say(
                keepSessions
                    ? "\(count(sessions, "session")) of the backup kept, also those that were ended since"
                    : "All sessions have ended: people sign in again, with their passwords at the time of the backup")
        }
    }

    /// Refuses a file that isn't a complete backup which this trolleyd can read, before anything is changed.
    /// - Returns: the number of tables in the file, and its newest migration.
    private func check(_ path: String, with programs: BackupPrograms) async throws -> (tables: Int, version: Int) {
        guard let contents = try await programs.contents(of: path) else {
            throw CommandError("\(file) is not a file of trolleyd backup. Nothing was restored.")
        }
        let tables: Int
        switch BackupContents(contents) {
        case .backup(let count): tables = count
        case .incomplete: throw CommandError("\(file) is not a backup of Trolley. Nothing was restored.")
        case .foreign(let object):
            throw CommandError("\(file) has \(object), which no backup of Trolley has. Nothing was restored.")
        }
        let versions = try await programs.rows(of: "migration", in: path)?.compactMap { $0.first.flatMap { Int($0) } }
        guard let version = versions?.max(), try await programs.isComplete(path) else {
            throw CommandError("\(file) is incomplete or damaged. Nothing was restored.")
        }
        if version > Self.newest { throw MigrationError.newerDatabase(version: version, newest: Self.newest) }
        return (tables, version)
    }

    private static let newest = Migrations.all.last?.version ?? 0

    private struct Report: Encodable {
        let file: String
        let tables: Int
        let epoch: String
        let sessionsKept: Int
        let seconds: Double
    }
}
