internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Creates a cluster atomically: after a failure nothing is left that a later start takes for a cluster.
struct Initialization: Sendable {
    let installation: Installation
    let configuration: ClusterConfiguration
    let directory: DataDirectory

    /// The cluster stores text in UTF-8 and orders it by its bytes, the same on every system. It uses checksums.
    /// Clients connect only through the socket, whose directory only the server's user can enter.
    func run() async throws(ClusterError) {
        _ = directory.user.withFileRightsIfPossible {
            try? FileManager.default.removeItem(atPath: directory.newCluster)
        }
        try directory.makePrivate(directory.newCluster)
        var initdb = [
            installation.initdb, "--pgdata", directory.newCluster, "--encoding=UTF8", "--locale=C", "--data-checksums",
            "--auth-local=trust", "--auth-host=reject", "--username=\(configuration.database)",
        ]
        if configuration.isEphemeral { initdb.append("--no-sync") }
        try await run(initdb)
        try await run(
            [installation.postgres, "--single", "-D", directory.newCluster, "postgres"],
            input: "CREATE DATABASE \"\(configuration.database)\"\n")
        try directory.user.withFileRights { () throws(ClusterError) in
            guard rename(directory.newCluster, directory.cluster) == 0 else {
                throw .file(operation: "rename", path: directory.newCluster, reason: systemReason())
            }
        }
    }

    private func run(_ command: [String], input: String = "") async throws(ClusterError) {
        let outcome: Program.Outcome
        do {
            outcome = try await Program(command: command, user: directory.user, input: input).run()
        } catch {
            throw .initializationFailed(output: "\(error)")
        }
        guard outcome.succeeded else { throw .initializationFailed(output: outcome.output) }
    }
}
