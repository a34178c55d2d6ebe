import Foundation
import Logging
import TrolleyCluster

/// A test's own PostgreSQL, for tests of whole clusters: backups, standbys, promotions.
package final class TestCluster: Sendable {
    private let cluster: Cluster

    /// The URL of its database.
    package var url: String { cluster.connectionString() }

    private init(_ cluster: Cluster) { self.cluster = cluster }

    package static func start() async throws -> TestCluster { try await start(TestBackup()) }

    /// Starts a cluster from a backup: a copy, or a standby that follows the original.
    package static func start(_ backup: TestBackup) async throws -> TestCluster {
        TestCluster(
            try await Cluster.start(
                backup.configuration,
                logger: Logger(label: "test-cluster") { _ in
                    SwiftLogNoOpLogHandler()
                }))
    }

    package func stop() async { await cluster.stop() }

    /// Copies the running cluster, as an operator does with pg_basebackup.
    /// - Parameter asStandby: whether a server that is started from it follows this cluster.
    package func backup(asStandby: Bool = false) async throws -> TestBackup {
        let backup = TestBackup()
        let target = "\(backup.configuration.dataDirectory)/postgres"
        try await run(
            ["pg_basebackup", "--dbname", url, "--pgdata", target, "--wal-method=stream", "--checkpoint=fast"]
                + (asStandby ? ["--write-recovery-conf"] : []))
        // The server's user must own it.
        try await run(["chown", "-R", "--reference=\(cluster.configuration.dataDirectory)/postgres", target])
        return backup
    }

    /// Copies the database into another cluster, as an operator does with pg_dump and pg_restore.
    package func dump(into other: TestCluster) async throws {
        let file = "\(NSTemporaryDirectory())/trolley-test-\(UUID().uuidString).dump"
        try await run(["pg_dump", "--format=custom", "--file", file, "--dbname", url])
        try await run(["pg_restore", "--no-owner", "--exit-on-error", "--dbname", other.url, file])
        try FileManager.default.removeItem(atPath: file)
    }
}

/// A directory for a cluster's files, from which a cluster can be started. It is empty at first.
package struct TestBackup: Sendable {
    fileprivate let configuration = ClusterConfiguration.ephemeral()
}

/// A program that failed, and its output.
package struct ProgramFailure: Error, CustomStringConvertible {
    package let description: String
}

/// Runs a program to its end. PostgreSQL's programs are in the directory that `pg_config` prints.
package func run(_ command: [String]) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "PATH=$(pg_config --bindir):$PATH; exec \"$@\"", "sh"] + command
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = await withCheckedContinuation { continuation in
        // It waits for the program, so it needs its own thread.
        Thread.detachNewThread {
            let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
            process.waitUntilExit()
            continuation.resume(returning: String(decoding: data, as: UTF8.self))
        }
    }
    guard process.terminationStatus == 0 else { throw ProgramFailure(description: "\(command): \(text)") }
}
