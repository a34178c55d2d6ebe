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
        abstract: "Read a file that `trolleyd backup` wrote into an empty database.",
        discussion: """
            All of it or nothing. Then a new epoch begins: every device offers again what it had confirmed in the last 30 \
            days, and fetches its lists afresh. A database that has anything in it is refused, unless --replace says that \
            it is to go; services that are running wait meanwhile, and go on.

            Example:
              trolleyd restore /var/backups/trolley-2026-11-21.dump --data-directory /var/lib/trolley
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Flag(help: "Replace everything in the database; its present content is lost.")
    var replace = false

    @Flag(help: "Answer with one JSON document.")
    var json = false

    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        json = try Settings().isOn(json, "json")
    }

    func run() async throws {
        let path = BackupFile.absolute(file)
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandError("\(file) can't be read. Check that it is there and is yours to read.")
        }
        let logger = Logger(label: "trolleyd", level: .warning)
        let started = ContinuousClock.now
        let (tables, epoch) = try await database.withPool(Settings(), logger: logger, for: .making) { pool in
            let target = RestoreTarget(pool: pool)
            let present = try await target.tables
            guard replace || present == 0 else {
                throw CommandError(
                    "There is something in this database already. Restore into an empty one, or give --replace: then it is lost."
                )
            }
            let programs = try await BackupPrograms.find(forServer: target.serverVersion)
            let (tables, version) = try await check(path, with: programs)
            let services = try await target.services
            guard version == Self.newest || services == 0 else {
                throw CommandError(
                    "\(file) is of an earlier version of trolleyd, which a running service can't read. Stop every service on this database first."
                )
            }
            let (connection, password) = pool.configuration.forPrograms
            var progress = ProgressReport("restore", of: tables)
            try await programs.restore(
                path, into: connection, password: password, before: RestoreTarget.emptying,
                between: RestoreTarget.mending, after: RestoreTarget.beginningEpoch
            ) { progress.note($0) }
            // The file may be of an earlier version.
            try await Migrator(pool: pool).migrate()
            return (tables, try await Store(pool: pool).checkEpoch())
        }
        let seconds = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1000
        if json {
            try printJSON(
                Report(file: path, tables: tables, epoch: epoch.id.description, seconds: seconds))
        } else {
            print("\(count(tables, "table")) restored from \(file); epoch \(epoch.id) has begun")
        }
    }

    /// Refuses any file but a complete backup that this trolleyd can read, before anything is changed.
    /// - Returns: how many tables are in it, and its newest migration.
    private func check(_ path: String, with programs: BackupPrograms) async throws -> (tables: Int, version: Int) {
        guard let contents = try await programs.contents(of: path) else {
            throw CommandError("\(file) is no file that trolleyd backup wrote. Nothing was restored.")
        }
        let tables = contents.filter { $0.contains(" TABLE DATA public ") }
        guard ["service", "migration", "list"].allSatisfy({ name in tables.contains { $0.contains(" \(name) ") } })
        else {
            throw CommandError("\(file) is a backup of something else than Trolley. Nothing was restored.")
        }
        let versions = try await programs.rows(of: "migration", in: path)?.compactMap { $0.first.flatMap { Int($0) } }
        guard let version = versions?.max(), try await programs.isWhole(path) else {
            throw CommandError("\(file) is damaged: it can't be read to its end. Nothing was restored.")
        }
        if version > Self.newest { throw MigrationError.newerDatabase(version: version, newest: Self.newest) }
        return (tables.count, version)
    }

    private static let newest = Migrations.all.last?.version ?? 0

    private struct Report: Encodable {
        let file: String
        let tables: Int
        let epoch: String
        let seconds: Double
    }
}
