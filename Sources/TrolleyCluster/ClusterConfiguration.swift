internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What kind of PostgreSQL to run, and where.
public struct ClusterConfiguration: Sendable {
    /// Everything of the cluster's is in here: `postgres/`, `postgres.log`, `reserve`, the locks `lock` and `service`, and
    /// `socket/` or a link to it.
    public var dataDirectory: String
    /// Made together with the cluster; owned by the role of the same name.
    public var database = "trolley"
    /// Where `initdb` and `postgres` are. Nil: looked for.
    public var binaryDirectory: String?
    /// Server settings besides those that Trolley needs.
    public var settings: [String: String] = [:]
    /// For tests: nothing is flushed to disk, and the data directory vanishes with the cluster, even if this process is
    /// killed.
    public var isEphemeral = false
    /// How long a service waits until a visitor has handed the directory over.
    public var takeoverTimeout: Duration = .seconds(60)
    /// Bytes of the disk that are kept for starting and recovering on a full one.
    public var reserve: Int64 = 64 << 20
    var shutdown = Shutdown()
    var restarts = Restarts()

    public init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }

    /// `/var/lib/trolley` for root, whose home no other user may enter; else `trolley` in `$XDG_DATA_HOME` or
    /// `~/.local/share`.
    public static var defaultDataDirectory: String {
        if geteuid() == 0 { return "/var/lib/trolley" }
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/trolley" }
        return "\(environment["HOME"] ?? "/var/lib")/.local/share/trolley"
    }

    /// As `-c` flags, so that they hold whatever the files in the cluster say.
    func flags(socketDirectory: String) -> [String] {
        var all = [
            "listen_addresses": "",
            "port": "5432",
            "unix_socket_directories": socketDirectory,
            "unix_socket_permissions": "0700",
            "logging_collector": "off",
            "log_destination": "stderr",
            "cluster_name": "trolley",
            "timezone": "UTC",
            "log_timezone": "UTC",
        ]
        if isEphemeral {
            all["fsync"] = "off"
            all["full_page_writes"] = "off"
            all["synchronous_commit"] = "off"
        }
        all.merge(settings) { _, own in own }
        return all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
    }
}
