internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The location and settings of a PostgreSQL that this process runs.
package struct ClusterConfiguration: Sendable {
    /// The directory of all files of the cluster: `postgres/`, `postgres.log`, `reserve`, the locks `lock` and
    /// `service`, and `socket/` or a link to it.
    package var dataDirectory: String
    /// The database that is created with the cluster. A role of the same name owns it.
    package var database = "trolley"
    /// The directory of `initdb` and `postgres`. Nil: search for them.
    package var binaryDirectory: String?
    /// Server settings in addition to those that Trolley needs.
    package var settings: [String: String] = [:]
    /// For tests: nothing is flushed to disk, and the data directory is removed with the cluster, even if this process
    /// is killed.
    package var isEphemeral = false
    /// How long a service waits for a command to release the directory.
    package var takeoverTimeout: Duration = .seconds(60)
    /// Disk space in bytes that is reserved so that PostgreSQL can start and recover on a full disk.
    package var reserve: Int64 = 64 << 20
    var shutdown = Shutdown()
    var restarts = Restarts()

    package init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }

    /// `/var/lib/trolley` for root, because no other user may enter root's home directory. Otherwise `trolley` in
    /// `$XDG_DATA_HOME` or `~/.local/share`.
    package static var defaultDataDirectory: String {
        if geteuid() == 0 { return "/var/lib/trolley" }
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/trolley" }
        return "\(environment["HOME"] ?? "/var/lib")/.local/share/trolley"
    }

    /// The settings as `-c` flags, which override the configuration files of the cluster.
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
