internal import FoundationEssentials
internal import Subprocess

/// One run of the server, from start to exit.
struct Postmaster: Sendable {
    let installation: Installation
    let configuration: ClusterConfiguration
    let directory: DataDirectory
    let user: ServerUser

    /// Runs the server until it exits by itself or `stop` ends, and shuts it down fast then.
    ///
    /// Between this process and the server stands a shell that holds the other end of a pipe: whichever way this
    /// process ends, the pipe ends too, and the shell shuts the server down. (PR_SET_PDEATHSIG would do so already when
    /// the thread ends that forked.)
    func run(socketDirectory: String, until stop: AsyncStream<Never>) async throws {
        let server =
            [installation.postgres, "-D", directory.cluster] + configuration.flags(socketDirectory: socketDirectory)
        let (executable, arguments) = user.launch(
            ["sh", "-c", Self.script, "trolley-postgres", directory.log, ephemeralDirectory] + server)
        _ = try await Subprocess.run(
            executable,
            arguments: arguments,
            environment: .inherit.updating(["LC_ALL": "C"]),
            platformOptions: .ownSession,
            input: .inputWriter,
            output: .sequence,
            error: .discarded
        ) { execution in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in stop {}
                    try? await execution.standardInputWriter.finish()
                }
                // Ends with the shell.
                var output = execution.standardOutput.makeAsyncIterator()
                while let _ = try? await output.next() {}
                group.cancelAll()
            }
        }
    }

    /// What the server has written about itself: `starting`, `ready` … (`postmaster.pid`, line 8).
    var status: String? {
        guard let text = try? String(contentsOfFile: directory.postmasterFile, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 ? String(lines[7].prefix { $0 != " " }) : nil
    }

    private var ephemeralDirectory: String { configuration.isEphemeral ? directory.path : "" }

    /// $1: log, $2: a directory to remove at the end, or nothing, then the server's command.
    private static let script = """
        log=$1 remove=$2 signal=INT
        [ -z "$remove" ] || signal=QUIT
        shift 2
        cd /
        exec 3<&0 </dev/null
        "$@" >>"$log" 2>&1 3<&- &
        server=$!
        { read -r _ <&3; kill -$signal "$server"; } >/dev/null 2>&1 &
        watch=$!
        exec 3<&-
        wait "$server"
        status=$?
        kill "$watch" 2>/dev/null
        # Killed: the server ended by itself, and may be started again.
        wait "$watch" && [ -n "$remove" ] && rm -rf "$remove"
        exit "$status"
        """
}
