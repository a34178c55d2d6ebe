internal import FoundationEssentials
public import Logging

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A PostgreSQL server of one's own: same engine as anywhere, reachable by a Unix socket only.
///
/// It lives as long as this object's process: stopped by `stop`, or when the process ends in whatever way. When the
/// server dies on its own it is started again.
public final class Cluster: Sendable {
    public let configuration: ClusterConfiguration
    /// Where the server writes its log.
    public let logFile: String
    private let socketDirectory: String
    private let supervisor: Supervisor
    private let supervision: Task<Void, any Error>

    /// Makes the cluster if there is none, ends what an earlier run has left, starts the server, and returns when it
    /// takes connections (after a crash: when it has recovered).
    ///
    /// Errors: see `ClusterError`; `inUse` when another service has the directory.
    public static func start(_ configuration: ClusterConfiguration, logger: Logger) async throws(ClusterError)
        -> Cluster
    {
        let directory = DataDirectory(configuration.dataDirectory)
        try directory.create()
        let lock = try await DirectoryLock.take(directory.path)
        let user = try ServerUser.choose(dataOwner: directory.clusterOwner)
        let installation = try await Installation.find(
            in: configuration.binaryDirectory, dataVersion: directory.version)
        try directory.prepare(for: user, isEphemeral: configuration.isEphemeral)
        if directory.version == nil {
            logger.notice(
                "making a PostgreSQL cluster",
                metadata: [
                    "version": "\(installation.version)", "directory": "\(directory.cluster)", "user": "\(user.name)",
                ])
            try await Initialization(
                installation: installation, configuration: configuration, directory: directory, user: user
            ).run()
        }
        let leftovers = Leftovers(directory: directory, logger: logger)
        try await leftovers.clear(within: configuration.takeoverTimeout)
        let socketDirectory = try directory.makeSocketDirectory(for: user)
        let postmaster = Postmaster(
            installation: installation, configuration: configuration, directory: directory, user: user)
        let supervisor = Supervisor(postmaster: postmaster, leftovers: leftovers, lock: lock, logger: logger)
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
        supervision = Task { try await supervisor.run(socketDirectory: socketDirectory) }
    }

    deinit {
        supervisor.stop()
    }

    /// A libpq URL. `database`: by default the one that was made with the cluster.
    public func connectionString(database: String? = nil) -> String {
        Self.connectionString(database ?? configuration.database, user: configuration.database, socketDirectory)
    }

    /// A libpq URL of the server that another process runs on a data directory; nil when none seems to run. Only the
    /// server's own user and root get in.
    public static func connectionString(ofServiceIn dataDirectory: String) -> String? {
        let configuration = ClusterConfiguration(dataDirectory: dataDirectory)
        guard let socketDirectory = DataDirectory(configuration.dataDirectory).socketDirectory else { return nil }
        return connectionString(configuration.database, user: configuration.database, socketDirectory)
    }

    private static func connectionString(_ database: String, user: String, _ socketDirectory: String) -> String {
        "postgresql://\(percentEncoded(user))@/\(percentEncoded(database))?host=\(percentEncoded(socketDirectory))"
    }

    /// Returns after `stop`; throws `keepsStopping` when the server can't be kept running.
    public func waitUntilStopped() async throws {
        try await supervision.value
    }

    /// Fast shutdown: running transactions are rolled back, connections closed, everything flushed. Returns when the
    /// server has ended.
    public func stop() async {
        supervisor.stop()
        _ = await supervision.result
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
        // What was copied to be a standby says so.
        while !["ready", "standby"].contains(postmaster.status) {
            if supervisor.hasCrashed || Task.isCancelled {
                await stop()
                throw .startFailed(log: logFile, lastLines: postmaster.directory.lastLogLines)
            }
            if ContinuousClock.now > nextReport {
                logger.notice("PostgreSQL is still starting", metadata: ["log": "\(logFile)"])
                nextReport += .seconds(5)
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        logger.info("PostgreSQL is running", metadata: ["socket": "\(socketDirectory)"])
    }
}

extension DataDirectory {
    var lastLogLines: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(8).joined(separator: "\n")
    }
}
