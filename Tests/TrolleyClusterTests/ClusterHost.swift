import FoundationEssentials
import Subprocess
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A service in a process of its own, which tests can kill.
enum ClusterHost {
    /// Runs `body` with the host's process id and the URL of its database; the host is killed with -9 at the end, if
    /// not before.
    static func run<R: Sendable>(
        in directory: String, _ body: @escaping (pid_t, String) async throws -> R
    ) async throws -> R {
        let binary = try path()
        return try await Subprocess.run(
            .name("sh"), arguments: ["-c", "exec \"$0\" \"$@\"", binary, directory], input: .none, output: .sequence,
            error: .discarded
        ) { execution in
            let process = execution.processIdentifier.value
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            defer { kill(process, SIGKILL) }
            let url = try #require(try await lines.next())
            return try await body(process, url)
        }.takeClosureResult()
    }

    /// In the directory of the test bundle.
    private static func path() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().path + "/cluster-host"
        try #require(FileManager.default.isExecutableFile(atPath: path), "build cluster-host first")
        return path
    }
}
