import FoundationEssentials
import Glibc
import Subprocess
import Testing
import TrolleyTestSupport

/// A `trolleyd serve` that runs in a process of its own, on a PostgreSQL of its own.
struct RunningService {
    /// `http://127.0.0.1:PORT`.
    let address: String
    let process: pid_t
    private let dataDirectory: String

    var port: String { String(address[address.index(after: address.lastIndex(of: ":") ?? address.startIndex)...]) }

    /// Serves while `body` runs, and is stopped as an operator stops it.
    /// - Parameters:
    ///   - port: nil: a free one, which stays free while the service is away.
    ///   - disk: the disk of the data directory, if it isn't this machine's own.
    ///   - openFiles: how many files the service may have open; nil: as many as this process.
    static func run<Value: Sendable>(
        dataDirectory: String, port: String? = nil, arguments: [String] = [], on disk: SmallDisk? = nil,
        openFiles: Int? = nil, _ body: (RunningService) async throws -> Value
    ) async throws -> Value {
        let port = try port ?? String(FreePort.find())
        let line = ["serve", "--json", "--port", port, "--data-directory", dataDirectory] + arguments
        let around = disk.map { ["nsenter"] + $0.prefix } ?? openFiles.map { ["prlimit", "--nofile=\($0)"] } ?? []
        let result = try await Subprocess.run(
            around.first.map { Executable.name($0) } ?? Programs.trolleyd,
            arguments: Arguments(
                around.isEmpty ? line : Array(around.dropFirst()) + ["\(Programs.directory)/trolleyd"] + line),
            input: .none, output: .sequence, error: .currentStandardError
        ) { execution in
            var announcement = ""
            for try await chunk in execution.standardOutput {
                announcement += chunk.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                if announcement.hasSuffix("\n") { break }
            }
            let process = pid_t(execution.processIdentifier.value)
            defer { kill(process, SIGTERM) }
            let answer = try JSONDecoder().decode([String: String].self, from: Data(announcement.utf8))
            return try await body(
                RunningService(
                    address: try #require(answer["address"]), process: process, dataDirectory: dataDirectory))
        }
        return result.closureResult
    }

    /// Kills the service and its database at once.
    func killEverything() throws {
        kill(process, SIGKILL)
        let file = try String(contentsOfFile: "\(dataDirectory)/postgres/postmaster.pid", encoding: .utf8)
        let postmaster = try #require(file.split(separator: "\n").first.flatMap { pid_t($0) })
        kill(postmaster, SIGKILL)
    }
}
