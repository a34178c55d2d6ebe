internal import FoundationEssentials
internal import Subprocess

/// One run of the server, from start to exit.
struct Postmaster: Sendable {
    let installation: Installation
    let configuration: ClusterConfiguration
    let directory: DataDirectory
    let orphanedProcesses: OrphanedProcesses

    /// Runs the server until it exits by itself or `stop` ends. Then shuts it down, in a bounded time.
    ///
    /// A shell between this process and the server holds the other end of a pipe. When this process ends, in any way,
    /// the pipe closes, and the shell shuts the server down. (PR_SET_PDEATHSIG would act as soon as the thread that
    /// forked ends.)
    func run(socketDirectory: String, until stop: AsyncStream<Never>) async throws {
        let server =
            [installation.postgres, "-D", directory.cluster] + configuration.flags(socketDirectory: socketDirectory)
        let (executable, arguments) = directory.user.launch(
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
                    // The next start finds and reports processes that could not be ended.
                    try? await orphanedProcesses.clear()
                }
                // Ends with the shell.
                var output = execution.standardOutput.makeAsyncIterator()
                while let _ = try? await output.next() {}
                group.cancelAll()
            }
        }
    }

    var status: String? { directory.status }

    var reserve: DiskReserve { directory.reserve(configuration) }

    private var ephemeralDirectory: String { configuration.isEphemeral ? directory.path : "" }

    /// $1: the log; $2: a directory to remove at the end, or empty; then the server's command.
    private static let script = """
        log=$1 remove=$2 signal=INT
        [ -z "$remove" ] || signal=QUIT
        shift 2
        cd /
        exec 3<&0 </dev/null
        "$@" >>"$log" 2>&1 3<&- &
        server=$!
        # If the service was killed, only this shell can end the server.
        insist() {
            for signal in QUIT KILL; do
                seconds=15
                while [ "$seconds" -gt 0 ]; do
                    sleep 1
                    kill -0 "$server" || return
                    seconds=$((seconds - 1))
                done
                kill -$signal "$server"
            done
        }
        { read -r _ <&3; kill -$signal "$server"; insist & } >/dev/null 2>&1 &
        watch=$!
        exec 3<&-
        wait "$server"
        status=$?
        kill "$watch" 2>/dev/null
        # If `watch` was killed, the server ended by itself and may be restarted.
        wait "$watch" && [ -n "$remove" ] && rm -rf "$remove"
        exit "$status"
        """
}
