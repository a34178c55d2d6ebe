import Foundation
import Testing
import TrolleyPostgres

/// A pgbouncer in transaction mode before a database.
package enum TestPooler {

    /// Whether pgbouncer is installed.
    package static var isInstalled: Bool { program != nil }

    private static var program: String? {
        ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].first(
            where: FileManager.default.isExecutableFile(atPath:))
    }

    /// Runs the pooler while `body` runs.
    /// - Parameters:
    ///   - database: the URL of a ``TestDatabase``.
    ///   - connections: the maximum number of connections to the server.
    package static func with<Value>(
        _ database: String, connections: Int, _ body: (String) async throws -> Value
    ) async throws -> Value {
        guard let program else { throw ProgramFailure(description: "pgbouncer is not installed; see script/bootstrap") }
        let components = URLComponents(string: database)
        let socket = components?.queryItems?.first { $0.name == "host" }?.value
        let name = components?.path.dropFirst() ?? ""
        let directory = "\(NSTemporaryDirectory())/trolley-pooler-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server =
            socket.map { "host=\($0) user=trolley" }
            ?? "host=\(components?.host ?? "") port=\(components?.port ?? 5432) user=\(components?.user ?? "trolley")"
        let configuration = """
            [databases]
            \(name) = \(server)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(directory)
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(connections)
            """
        try configuration.write(toFile: "\(directory)/pgbouncer.ini", atomically: true, encoding: .utf8)
        // It refuses to run as root, and its user must reach the server's socket.
        if let socket {
            try await run(["chown", "-R", "--reference=\(socket)", directory])
        } else if geteuid() == 0 {
            try await run(["chown", "-R", "nobody", directory])
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            user=$(stat -c %u "$1"); group=$(stat -c %g "$1")
            [ "$(id -u)" = "$user" ] || set -- "$1" "$2" "$3" setpriv --reuid="$user" --regid="$group" --clear-groups --
            program=$2; ini=$3; shift 3
            exec "$@" "$program" "$ini" >"$(dirname "$ini")/log" 2>&1
            """, "sh", socket ?? directory, program, "\(directory)/pgbouncer.ini",
        ]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer {
            // Not SIGTERM: it inherits the signals that this thread has blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let url = "postgresql://trolley@/\(name)?host=\(directory)&port=6432"
        // The socket exists before the pooler listens. Only a connection shows that it is ready.
        try await eventually("pgbouncer listens") {
            do throws(PostgresError) {
                _ = try await Connection.connect(try PostgresConfiguration(url))
                return true
            } catch {
                if process.isRunning, error.kind == .connectionFailed { return false }
                let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
                throw ProgramFailure(description: "pgbouncer: \(error); \(log)")
            }
        }
        return try await body(url)
    }
}
