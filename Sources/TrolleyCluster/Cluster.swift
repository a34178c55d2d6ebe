internal import FoundationEssentials
package import Logging

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A PostgreSQL server that this process runs for itself, reachable by a Unix socket only.
///
/// The server runs until `stop`, or until the process ends, however that happens. When the server dies by itself, it is
/// restarted, without limit.
package final class Cluster: Sendable {
    /// A process's claim on a data directory.
    package enum Role: Hashable, Sendable {
        /// Keeps the directory until the process ends.
        case service
        /// Runs the server for a while, and releases the directory when a service starts.
        /// - Parameter createsCluster: whether to create a cluster if there is none.
        case command(createsCluster: Bool)
    }

    package let configuration: ClusterConfiguration
    /// The path of the server's log.
    package let logFile: String
    private let socketDirectory: String
    private let supervisor: Supervisor
    private let supervision: Task<Void, Never>
    private let monitoring: Task<Void, Never>

    /// Creates the cluster if there is none, stops leftovers of an earlier run, and starts the server. Returns when the
    /// server accepts connections (after a crash: when it has recovered). A service waits for a command to release the
    /// directory.
    ///
    /// Errors: see `ClusterError`. `inUse` when another service holds the directory, or, for a command, any other
    /// process. `noCluster` when there is no cluster and the command doesn't create one; in that case nothing was
    /// changed.
    package static func start(
        _ configuration: ClusterConfiguration, as role: Role = .service, logger: Logger
    ) async throws(ClusterError) -> Cluster {
        let creates = role != .command(createsCluster: false)
        guard let directory = try DataDirectory.open(configuration.dataDirectory, creating: creates) else {
            throw .noCluster(configuration.dataDirectory)
        }
        let lock = try await DirectoryLock.take(
            directory, as: role, takeover: configuration.takeoverTimeout, logger: logger)
        // On a full disk the steps below can't write.
        directory.reserve(configuration).releaseIfNeeded()
        let installation = try await Installation.find(
            in: configuration.binaryDirectory, dataVersion: directory.version)
        try directory.prepare()
        if directory.version == nil {
            logger.notice(
                "making a PostgreSQL cluster",
                metadata: [
                    "version": "\(installation.version)", "directory": "\(directory.cluster)",
                    "user": "\(directory.user.name)",
                ])
            try await Initialization(
                installation: installation, configuration: configuration, directory: directory
            ).run()
        }
        let orphanedProcesses = OrphanedProcesses(
            directory: directory, shutdown: configuration.shutdown, logger: logger)
        try await orphanedProcesses.clear()
        let socketDirectory = try directory.makeSocketDirectory()
        let postmaster = Postmaster(
            installation: installation, configuration: configuration, directory: directory,
            orphanedProcesses: orphanedProcesses)
        let supervisor = Supervisor(
            postmaster: postmaster, orphanedProcesses: orphanedProcesses, lock: lock, logger: logger)
        let cluster = Cluster(
            configuration: configuration, logFile: directory.log, socketDirectory: socketDirectory,
            supervisor: supervisor)
        try await cluster.waitUntilReady(postmaster, logger: logger)
        return cluster
    }

    private init(
        configuration: ClusterConfiguration, logFile: String, socketDirectory: String, supervisor: Supervisor
    ) {
        self.configuration = configuration
        self.logFile = logFile
        self.socketDirectory = socketDirectory
        self.supervisor = supervisor
        supervision = Task { await supervisor.run(socketDirectory: socketDirectory) }
        monitoring = Task { await supervisor.monitor() }
    }

    deinit {
        monitoring.cancel()
        supervisor.stop()
    }

    /// A libpq URL. `database`: by default the database that was created with the cluster.
    package func connectionString(database: String? = nil) -> String {
        Self.connectionString(database ?? configuration.database, user: configuration.database, socketDirectory)
    }

    /// A libpq URL of the server that another process runs on a data directory. Waits up to `lockTimeout` for that server;
    /// nil when there is none. Only the server's own user and root can connect.
    package static func connectionString(
        ofServiceIn dataDirectory: String, lockTimeout: Duration = .zero
    ) async -> String? {
        let configuration = ClusterConfiguration(dataDirectory: dataDirectory)
        let end = ContinuousClock.now + lockTimeout
        while true {
            do throws(ClusterError) {
                if let socketDirectory = try DataDirectory(configuration.dataDirectory).socketDirectory {
                    return connectionString(configuration.database, user: configuration.database, socketDirectory)
                }
            } catch {
                // Root found no safe way to the directory. The caller has reported that already.
                return nil
            }
            guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func connectionString(_ database: String, user: String, _ socketDirectory: String) -> String {
        "postgresql://\(percentEncoded(user))@/\(percentEncoded(database))?host=\(percentEncoded(socketDirectory))"
    }

    /// Whether a service has taken the directory from this command. The command's server has then stopped or is about
    /// to.
    package var isHandedOver: Bool { supervisor.isHandedOver }

    /// Fast shutdown: the server rolls back running transactions, closes connections and flushes everything. A server
    /// that recovers or is not done in time gets an immediate shutdown. Returns when the server has ended.
    package func stop() async {
        monitoring.cancel()
        supervisor.stop()
        await supervision.value
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isPlain || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private func waitUntilReady(_ postmaster: Postmaster, logger: Logger) async throws(ClusterError) {
        var nextReport = ContinuousClock.now + .seconds(5)
        // A copied cluster that is configured as a standby reports `standby`.
        while !["ready", "standby"].contains(postmaster.status) {
            if supervisor.hasEnded || Task.isCancelled {
                await stop()
                if isHandedOver { throw .inUse(directory: configuration.dataDirectory, process: nil) }
                throw .startFailed(log: logFile, lastLines: postmaster.directory.lastLogLines)
            }
            if ContinuousClock.now > nextReport {
                logger.notice("PostgreSQL is still starting", metadata: ["log": "\(logFile)"])
                nextReport += .seconds(5)
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        logger.info("PostgreSQL is running", metadata: ["socket": "\(socketDirectory)"])
        postmaster.reserve.createIfPossible()
    }
}

extension DataDirectory {
    var lastLogLines: String { logTail.suffix(8).joined(separator: "\n") }

    /// The server's last FATAL and PANIC lines, which say why it ended. Other lines of the log may quote data.
    var lastFatalLines: String {
        logTail.filter { $0.contains(" FATAL: ") || $0.contains(" PANIC: ") }.suffix(2).joined(separator: "; ")
    }

    /// The last lines of the log, which can be large.
    private var logTail: [Substring] {
        let bytes: [UInt8]
        do {
            bytes = try user.withFileRights { () throws(ClusterError) in
                let descriptor = try openPlainFile(log, O_RDONLY)
                defer { close(descriptor) }
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                if lseek(descriptor, -off_t(bytes.count), SEEK_END) < 0 { lseek(descriptor, 0, SEEK_SET) }
                let count = read(descriptor, &bytes, bytes.count)
                return Array(bytes.prefix(max(0, count)))
            }
        } catch { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
