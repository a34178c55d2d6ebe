internal import FoundationEssentials
internal import Subprocess
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// PostgreSQL's programs that write and read backups: `pg_dump`, `pg_restore` and `psql`, all of one version.
package struct BackupPrograms: Sendable {
    package let directory: String
    package let version: Int
    /// The user that the programs run as; nil for this process's user. A server can make its clients run code, by a
    /// dump's content or by a flaw of theirs, so root doesn't run them on trolleyd's own PostgreSQL.
    private let user: ServerUser?

    /// Finds programs for a server in the same directories as `Installation`: of the server's version, otherwise the
    /// oldest newer version.
    /// - Parameters:
    ///   - server: the server's major version.
    ///   - dataDirectory: of trolleyd's own PostgreSQL; nil for another server.
    ///
    /// Errors: `noBackupPrograms`, and those of choosing the user.
    package static func find(
        forServer server: Int, dataDirectory: String?
    ) async throws(ClusterError) -> BackupPrograms {
        let user: ServerUser? =
            if let dataDirectory { try ServerUser.unprivileged(dataDirectory: dataDirectory) } else { nil }
        var found: [BackupPrograms] = []
        let directories = await Installation.candidates(with: "pg_dump")
        for directory in directories {
            let names = ["pg_dump", "pg_restore", "psql"].map { "\(directory)/\($0)" }
            guard names.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }),
                let version = await Installation.version(of: names[0])
            else { continue }
            if version == server { return BackupPrograms(directory: directory, version: version, user: user) }
            if version > server { found.append(BackupPrograms(directory: directory, version: version, user: user)) }
        }
        guard let newer = found.min(by: { $0.version < $1.version }) else {
            throw .noBackupPrograms(server: server, searched: directories)
        }
        return newer
    }

    /// Writes a consistent snapshot of a whole database into a file, in `pg_dump`'s custom format.
    /// - Parameters:
    ///   - connection: libpq's keywords or URL, without a password.
    ///   - descriptor: of the file, which is empty. No path, because others may exchange a file in their directory.
    ///   - progress: called with the name of each table before its rows are written.
    ///
    /// Errors: `programFailed`; the file may then contain a part.
    package func dump(
        _ connection: String, password: String?, into descriptor: Int32, progress: (String) -> Void
    ) async throws(ClusterError) {
        try await run(
            "cd / && exec \"$@\"",
            prefix + [
                "\(directory)/pg_dump", "--format=custom", "--no-privileges", "--no-publications", "--no-subscriptions",
                "--verbose", "--no-password", "--dbname", connection,
            ], password: password, output: FileDescriptor(rawValue: descriptor), named: "pg_dump"
        ) { line in
            if let table = Self.table(line, after: "dumping contents of") { progress(table) }
        }
    }

    /// The table of contents of a file that `pg_dump` wrote, one line for each object. Nil for any other file.
    package func contents(of file: String) async throws(ClusterError) -> [String]? {
        guard Self.hasMagic(file) else { return nil }
        return try await output(["--list"], of: file)?.filter { !$0.hasPrefix(";") }
    }

    /// The rows of a table in a backup file, split into columns. Nil when the file can't be read.
    package func rows(of table: String, in file: String) async throws(ClusterError) -> [[String]]? {
        let lines = try await output(
            ["--data-only", "--schema=public", "--table", table, "--file=-"], of: file)
        guard let lines, let start = lines.firstIndex(where: { $0.hasPrefix("COPY ") }) else { return nil }
        return lines[(start + 1)...].prefix { $0 != "\\." }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Whether the whole file can be read. False for a truncated file.
    package func isComplete(_ file: String) async throws(ClusterError) -> Bool {
        try await output(["--file=/dev/null"], of: file) != nil
    }

    /// In one transaction: runs `before`, restores the rows, runs `between`, adds the constraints, and runs `after`.
    /// All of it takes effect, or nothing.
    /// - Parameters:
    ///   - connection: libpq's keywords or URL, without a password.
    ///   - before: SQL.
    ///   - between: SQL.
    ///   - after: SQL.
    ///   - progress: called with the name of each table before its rows are restored.
    ///
    /// Errors: `programFailed`; the database is then unchanged.
    package func restore(
        _ file: String, into connection: String, password: String?, before: String, between: String,
        after: String,
        progress: (String) -> Void
    ) async throws(ClusterError) {
        try await run(
            Self.restoring, [directory, file, connection, before, after, between, prefix.joined(separator: " ")],
            password: password, output: nil, named: "pg_restore"
        ) { line in
            if let table = Self.table(line, after: "processing data for") { progress(table) }
        }
    }

    // psql never commits by itself. When pg_restore fails, psql reads an error instead of the COMMIT. When the input
    // ends early, psql rolls back the open transaction. pg_restore gets the file as standard input, because its user may
    // not be allowed to open it.
    private static let restoring = """
        commands() { $as "$program" --file=- --schema=public --no-owner --no-privileges --verbose "$@" <"$file"; }
        program=$1/pg_restore file=$2 as=$7
        cd /
        {
            printf 'BEGIN;\\n%s\\n' "$4"
            if commands --section=pre-data --section=data && printf '\\n%s\\n' "$6" && commands --section=post-data; then
                printf '\\n%s\\nCOMMIT;\\n' "$5"
            else
                printf '\\n\\\\.\\nSELECT the_file_could_not_be_read;\\n'
            fi
        } | $as "$1/psql" --no-psqlrc --quiet --no-password --set=ON_ERROR_STOP=1 --output=/dev/null --dbname "$3" --file=-
        """

    /// `pg_dump: dumping contents of table "public.entry"`.
    private static func table(_ line: String, after words: String) -> String? {
        guard let start = line.firstRange(of: "\(words) table \"public.") else { return nil }
        return String(line[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func hasMagic(_ file: String) -> Bool {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 5)
        return read(descriptor, &bytes, bytes.count) == bytes.count && bytes == Array("PGDMP".utf8)
    }

    // MARK: Running

    private var prefix: [String] { user?.launchPrefix ?? [] }

    /// The lines that `pg_restore` prints about a file; nil when it fails.
    private func output(_ arguments: [String], of file: String) async throws(ClusterError) -> [String]? {
        // This process opens the file, because the programs' user may not be allowed to.
        let command = ["sh", "-c", "file=$1; shift; exec \"$@\" <\"$file\"", "sh", file] + prefix
        do {
            let outcome = try await Program(command: command + ["\(directory)/pg_restore"] + arguments).run()
            guard outcome.succeeded else { return nil }
            return outcome.output.split(whereSeparator: \.isNewline).map(String.init)
        } catch {
            throw .programFailed("pg_restore", output: "\(error)")
        }
    }

    /// - Parameters:
    ///   - output: where the program's standard output goes; nil: nowhere.
    ///   - note: called with each line that the program prints on standard error.
    private func run(
        _ script: String, _ arguments: [String], password: String?, output: FileDescriptor?, named name: String,
        note: (String) -> Void
    ) async throws(ClusterError) {
        var environment: [Environment.Key: String?] = ["LC_ALL": "C"]
        if let password { environment["PGPASSWORD"] = password }
        let succeeded: Bool
        let complaints: [String]
        do {
            let nowhere = try output == nil ? FileDescriptor.open("/dev/null", .writeOnly) : nil
            defer { try? nowhere?.close() }
            // In the same session as this process, so that Ctrl-C ends every process.
            let result = try await Subprocess.run(
                .name("sh"), arguments: Arguments(["-c", script, "sh"] + arguments),
                environment: .inherit.updating(environment), input: .none,
                output: .fileDescriptor(output ?? nowhere ?? .standardError, closeAfterSpawningProcess: false),
                error: .sequence
            ) { execution in
                var complaints: [String] = []
                for try await line in execution.standardError.strings() {
                    note(line)
                    if ["error", "ERROR", "FATAL"].contains(where: { line.contains($0) }) { complaints.append(line) }
                }
                return complaints
            }
            succeeded = result.terminationStatus.isSuccess
            complaints = result.takeClosureResult()
        } catch {
            throw .programFailed(name, output: "\(error)")
        }
        guard succeeded else { throw .programFailed(name, output: complaints.prefix(5).joined(separator: "\n")) }
    }
}
