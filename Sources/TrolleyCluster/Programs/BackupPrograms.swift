internal import FoundationEssentials
internal import Subprocess

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

    /// Finds programs for a server in the same directories as `Installation`: of the server's version, otherwise the
    /// oldest newer version.
    /// - Parameter server: the server's major version.
    ///
    /// Errors: `noBackupPrograms`.
    package static func find(forServer server: Int) async throws(ClusterError) -> BackupPrograms {
        var found: [BackupPrograms] = []
        let directories = await Installation.candidates(with: "pg_dump")
        for directory in directories {
            let names = ["pg_dump", "pg_restore", "psql"].map { "\(directory)/\($0)" }
            guard names.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }),
                let version = await Installation.version(of: names[0])
            else { continue }
            if version == server { return BackupPrograms(directory: directory, version: version) }
            if version > server { found.append(BackupPrograms(directory: directory, version: version)) }
        }
        guard let newer = found.min(by: { $0.version < $1.version }) else {
            throw .noBackupPrograms(server: server, searched: directories)
        }
        return newer
    }

    /// Writes a consistent snapshot of a whole database into a file, in `pg_dump`'s custom format.
    /// - Parameters:
    ///   - connection: libpq's keywords or URL, without a password.
    ///   - progress: called with the name of each table before its rows are written.
    ///
    /// Errors: `programFailed`; the file may then contain a part.
    package func dump(
        _ connection: String, password: String?, into file: String, progress: (String) -> Void
    ) async throws(ClusterError) {
        try await run(
            "exec 2>&1; exec \"$@\"",
            [
                "\(directory)/pg_dump", "--format=custom", "--verbose", "--no-password", "--file", file, "--dbname",
                connection,
            ], password: password, named: "pg_dump"
        ) { line in
            if let table = Self.table(line, after: "dumping contents of") { progress(table) }
        }
    }

    /// The table of contents of a file that `pg_dump` wrote, one line for each object. Nil for any other file.
    package func contents(of file: String) async throws(ClusterError) -> [String]? {
        guard Self.hasMagic(file) else { return nil }
        return try await output(["--list", file])?.filter { !$0.hasPrefix(";") }
    }

    /// The rows of a table in a backup file, split into columns. Nil when the file can't be read.
    package func rows(of table: String, in file: String) async throws(ClusterError) -> [[String]]? {
        let lines = try await output(["--data-only", "--schema=public", "--table", table, "--file=-", file])
        guard let lines, let start = lines.firstIndex(where: { $0.hasPrefix("COPY ") }) else { return nil }
        return lines[(start + 1)...].prefix { $0 != "\\." }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Whether the whole file can be read. False for a truncated file.
    package func isComplete(_ file: String) async throws(ClusterError) -> Bool {
        try await output(["--file=/dev/null", file]) != nil
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
            Self.restoring, [directory, file, connection, before, after, between], password: password,
            named: "pg_restore"
        ) { line in
            if let table = Self.table(line, after: "processing data for") { progress(table) }
        }
    }

    // psql never commits by itself. When pg_restore fails, psql reads an error instead of the COMMIT. When the input
    // ends early, psql rolls back the open transaction.
    private static let restoring = """
        exec 2>&1
        commands() { "$program" --file=- --schema=public --no-owner --no-privileges --verbose "$@" "$file"; }
        program=$1/pg_restore file=$2
        {
            printf 'BEGIN;\\n%s\\n' "$4"
            if commands --section=pre-data --section=data && printf '\\n%s\\n' "$6" && commands --section=post-data; then
                printf '\\n%s\\nCOMMIT;\\n' "$5"
            else
                printf '\\n\\\\.\\nSELECT the_file_could_not_be_read;\\n'
            fi
        } | "$1/psql" --no-psqlrc --quiet --no-password --set=ON_ERROR_STOP=1 --output=/dev/null --dbname "$3" --file=-
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

    /// The lines that `pg_restore` prints; nil when it fails.
    private func output(_ arguments: [String]) async throws(ClusterError) -> [String]? {
        do {
            let outcome = try await Program(command: ["\(directory)/pg_restore"] + arguments).run()
            guard outcome.succeeded else { return nil }
            return outcome.output.split(whereSeparator: \.isNewline).map(String.init)
        } catch {
            throw .programFailed("pg_restore", output: "\(error)")
        }
    }

    /// - Parameter note: called with each line that the program prints.
    private func run(
        _ script: String, _ arguments: [String], password: String?, named name: String, note: (String) -> Void
    ) async throws(ClusterError) {
        var complaints: [String] = []
        let succeeded: Bool
        do {
            var environment: [Environment.Key: String?] = ["LC_ALL": "C"]
            if let password { environment["PGPASSWORD"] = password }
            // In the same session as this process, so that Ctrl-C ends every process.
            let result = try await Subprocess.run(
                .name("sh"), arguments: Arguments(["-c", script, "sh"] + arguments),
                environment: .inherit.updating(environment), input: .none, output: .sequence, error: .discarded
            ) { execution in
                var complaints: [String] = []
                for try await line in execution.standardOutput.strings() {
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
