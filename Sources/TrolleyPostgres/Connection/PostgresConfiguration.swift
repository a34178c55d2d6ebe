/// The address of a database, its session settings, and time-outs.
public struct PostgresConfiguration: Sendable {
    /// A libpq URL (`postgresql://user@/trolley?host=%2Frun%2Ftrolley`) or keywords (`host=/run/trolley dbname=t`).
    public private(set) var connectionString: String
    /// The name in `pg_stat_activity`, unless the connection string sets its own.
    public var applicationName = "trolley"
    public var connectTimeout: Duration = .seconds(10)
    /// Must be false behind a pooler that gives each transaction another server connection, such as pgbouncer in
    /// transaction mode: a statement that is prepared on one connection is unknown on the next.
    public var preparesStatements = true
    /// Server settings by name, such as `["jit": "off"]`. Each connection applies them when it opens, whatever the
    /// server's own values are. Not applied when `preparesStatements` is false, because other clients share such a
    /// connection.
    public var sessionSettings: [String: String] = [:]
    /// Further settings that not every server has. Those that the server refuses are left out.
    public var optionalSettings: [String: String] = [:]
    /// Settings that each transaction states (`SET LOCAL`) when it begins, in the same round trip, where
    /// `preparesStatements` is false. There the session's settings aren't applied.
    public var transactionSettings: [String: String] = [:]
    /// Settings that each transaction states on databases that have an extension, by the extension's name.
    public var transactionSettingsWithExtension: [String: [String: String]] = [:]
    /// Additional settings for databases that have an extension, by the extension's name. They override
    /// `sessionSettings`.
    public var settingsWithExtension: [String: [String: String]] = [:]
    /// Time-out of each round trip, unless the call sets its own. `.unlimited`: no time-out.
    public var statementTimeout: Duration = .seconds(30)
    /// How long a cancelled statement may take to end. After that the connection is abandoned.
    public var cancelTimeout: Duration = .seconds(5)
    /// Host, port and database, for messages. Never contains a password.
    public private(set) var location: String
    /// The servers that the connection string names.
    private(set) var servers: ServerList
    /// Records how long statements take.
    var times: StatementTimes?

    /// Errors: `configuration` when libpq can't parse the string.
    public init(_ connectionString: String) throws(PostgresError) {
        guard let settings = Handle.parse(connectionString) else {
            // libpq's own message would quote the string, which may contain a password.
            throw PostgresError(
                .configuration, "the database URL is neither a postgresql:// URL nor a list of keyword=value")
        }
        self.connectionString = connectionString
        let host = settings["host"] ?? settings["hostaddr"] ?? "the default host"
        location = "\(host) port \(settings["port"] ?? "5432") database \(settings["dbname"] ?? "by default")"
        servers = ServerList(settings)
    }

    /// For PostgreSQL's own programs: the value of `--dbname`, and the password for `PGPASSWORD` (nil when the
    /// connection string has none). Other users can read a program's arguments, so `connection` doesn't contain the
    /// password.
    public var forCommandLineTools: (connection: String, password: String?) {
        var settings = Handle.parse(connectionString) ?? [:]
        let password = settings.removeValue(forKey: "password")
        return (Self.keywords(settings), password)
    }

    /// The database of the same name on another server, with the same user, password and settings.
    public func moved(toHost host: String, port: Int) throws(PostgresError) -> PostgresConfiguration {
        var settings = Handle.parse(connectionString) ?? [:]
        settings["hostaddr"] = nil
        settings["host"] = host
        settings["port"] = "\(port)"
        let parsed = try PostgresConfiguration(Self.keywords(settings))
        var moved = self
        (moved.connectionString, moved.location, moved.servers) =
            (parsed.connectionString, parsed.location, parsed.servers)
        return moved
    }

    /// Whether all its servers are on this machine: they have loopback addresses, or sockets.
    public var isOnThisMachine: Bool {
        let settings = Handle.parse(connectionString) ?? [:]
        func list(_ keyword: String) -> [Substring] {
            settings[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false) } ?? []
        }
        let (hosts, addresses) = (list("host"), list("hostaddr"))
        return (0..<max(hosts.count, addresses.count)).allSatisfy { index in
            // libpq connects to the address, and to the host only where the address is empty.
            let address = index < addresses.count ? addresses[index] : ""
            let host = address.isEmpty && index < hosts.count ? hosts[index] : address
            return host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host.hasPrefix("127.")
                || ["localhost", "::1"].contains(host)
        }
    }

    /// The settings as a connection string.
    private static func keywords(_ settings: [String: String]) -> String {
        settings.sorted { $0.key < $1.key }.map { keyword, value in
            let quoted = value.flatMap { character -> [Character] in
                character == "'" || character == "\\" ? ["\\", character] : [character]
            }
            return "\(keyword)='\(String(quoted))'"
        }.joined(separator: " ")
    }

    /// The parameters for libpq. A later parameter overrides an earlier one.
    func parameters(for server: ServerList.Attempt?) -> [(keyword: String, value: String)] {
        [
            // Detects a peer that vanished without closing the connection within 20 s instead of two hours.
            // Unacknowledged data would otherwise be retransmitted for a quarter of an hour.
            ("keepalives_idle", "10"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "2"),
            ("tcp_user_timeout", "15000"),
            ("dbname", connectionString),
            ("fallback_application_name", applicationName),
            ("client_encoding", "UTF8"),
        ] + (server?.parameters ?? [])
    }
}

extension Duration {
    /// As a time-out: no limit.
    public static var unlimited: Duration { .seconds(Int64.max) }
}
