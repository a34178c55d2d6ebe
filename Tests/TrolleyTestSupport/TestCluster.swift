import Foundation
import Logging
import TrolleyCluster

/// A PostgreSQL of a test's own, for what happens to whole clusters: backups, standbys, promotions.
package final class TestCluster: Sendable {
    private let cluster: Cluster

    /// The URL of its database.
    package var url: String { cluster.connectionString() }

    private init(_ cluster: Cluster) { self.cluster = cluster }

    package static func start() async throws -> TestCluster { try await start(TestBackup()) }

    /// Starts what a backup holds: a copy, or a standby that follows the original.
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
        // The server's own user must own it.
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

/// A cluster's files, that a cluster can be started from. Nothing is in it at first.
package struct TestBackup: Sendable {
    fileprivate let configuration = ClusterConfiguration.ephemeral()
}

/// A program that failed, and what it said.
package struct ProgramFailure: Error, CustomStringConvertible {
    package let description: String
}

/// Runs a program to its end. PostgreSQL's own are found where `pg_config` says.
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
