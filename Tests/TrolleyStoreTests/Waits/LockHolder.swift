import FoundationEssentials
import Subprocess
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A process that holds the locks of all lists of a database, in the middle of a transaction.
enum LockHolder {
    /// Runs `body` with the process's id while it holds the locks. The process is killed with -9 at the end.
    /// - Parameter timeout: the `idle_in_transaction_session_timeout` of its session.
    static func run<R: Sendable>(
        on url: String, timeout: String, _ body: @escaping (pid_t) async throws -> R
    ) async throws -> R {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().path + "/lock-holder"
        try #require(FileManager.default.isExecutableFile(atPath: path), "build lock-holder first")
        return try await Subprocess.run(
            .name("sh"), arguments: ["-c", "exec \"$0\" \"$@\"", path, url, timeout], input: .none, output: .sequence,
            error: .discarded
        ) { execution in
            let process = execution.processIdentifier.value
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            defer { kill(process, SIGKILL) }
            try #require(try await lines.next() == "locked")
            return try await body(process)
        }.takeClosureResult()
    }
}
