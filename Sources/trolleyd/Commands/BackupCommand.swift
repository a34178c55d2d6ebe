import ArgumentParser
import FoundationEssentials
import Logging
import TrolleyCluster
import TrolleyPostgres
import TrolleyStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the database to a file, while the service runs. For cron.",
        discussion: """
            Writes accounts, lists, journals and Activity, as of one moment, in the format of pg_dump. The file \
            appears when it is complete; an existing file is never overwritten. `trolleyd restore` reads it. Needs \
            pg_dump, pg_restore and psql on this machine.

            Example:
              trolleyd backup /var/backups/trolley-$(date +%F).dump
            """)

    @Argument(help: "The file, which only you can read.", completion: .file())
    var file: String

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let path = BackupFile.absolute(file)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandError("\(file) exists already. Give another name, or move it away.")
        }
        let settings = Settings()
        let logger = Logger(label: "trolleyd", level: .warning)
        let started = ContinuousClock.now
        let (tables, size) = try await database.withPool(settings, logger: logger, for: .inspect) { pool in
            let tables = try await BackupFile.dump(pool, of: database, settings, to: path)
            let size = BackupFile.size(path)
            // A backup of a role that may only read, or of an older schema, is as good.
            try? await Store(pool: pool).note(.backedUp(bytes: size), took: ContinuousClock.now - started)
            return (tables, size)
        }
        let seconds = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1000
        if answer.json {
            try printJSON(Report(file: path, bytes: size, tables: tables, seconds: seconds))
        } else {
            say("\(count(tables, "table")), \(size) bytes written to \(file)")
        }
    }

    private struct Report: Encodable {
        let file: String
        let bytes: Int64
        let tables: Int
        let seconds: Double
    }
}

/// The file of a backup. It is complete or absent, only its owner can read it, and it never replaces another file.
enum BackupFile {
    /// Makes a path absolute, because PostgreSQL's programs run in another directory.
    static func absolute(_ file: String) -> String {
        file.hasPrefix("/") ? file : "\(FileManager.default.currentDirectoryPath)/\(file)"
    }

    /// Writes the whole database, as of one moment, into a new file. Reports progress on standard error.
    /// - Returns: the number of tables.
    static func dump(
        _ pool: Pool, of database: DatabaseOptions, _ settings: Settings, to path: String
    ) async throws -> Int {
        let target = RestoreTarget(pool: pool)
        let tables = try await target.tables
        guard tables > 0 else { throw CommandError("This database is empty. Check that it is the right one.") }
        let programs = try await BackupPrograms.find(
            forServer: target.serverVersion, dataDirectory: database.ownDirectory(settings))
        let (connection, password) = pool.configuration.forCommandLineTools
        try await write(path) { descriptor in
            var progress = ProgressReport("backup", of: tables)
            try await programs.dump(connection, password: password, into: descriptor) { progress.note($0) }
        }
        return tables
    }

    /// Calls `body` with the descriptor of a new empty file in the same directory. When `body` returns, that file becomes
    /// `path`.
    static func write(_ path: String, _ body: (Int32) async throws -> Void) async throws {
        let partial = "\(path).partial-\(getpid())"
        unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer {
            close(descriptor)
            unlink(partial)
        }
        try await body(descriptor)
        guard fsync(descriptor) == 0 else { throw failure(path) }
        // Unlike a rename, a link never replaces a file. On a file system without links the check at the start must
        // suffice.
        if link(partial, path) == 0 { return }
        guard errno != EEXIST, rename(partial, path) == 0 else { throw failure(path) }
    }

    static func size(_ path: String) -> Int64 { Int64(FileStatus(path, followingLinks: true)?.size ?? 0) }

    private static func failure(_ path: String) -> CommandError {
        CommandError("\(path) can't be written: \(String(cString: strerror(errno)))")
    }
}

/// Prints progress on standard error, at most once a second.
struct ProgressReport {
    private let name: String
    private let total: Int
    private var begun = 0
    private var next: ContinuousClock.Instant

    init(_ name: String, of total: Int, at now: ContinuousClock.Instant = .now) {
        self.name = name
        self.total = total
        next = now + .seconds(1)
    }

    mutating func note(_ table: String) {
        guard let line = line(for: table, at: .now) else { return }
        warn(line)
    }

    /// The line to print when `table` is begun; nil within a second after the line before.
    mutating func line(for table: String, at now: ContinuousClock.Instant) -> String? {
        begun += 1
        guard now >= next else { return nil }
        next = now + .seconds(1)
        return "\(name): table \(begun) of \(total), \(table)"
    }
}
