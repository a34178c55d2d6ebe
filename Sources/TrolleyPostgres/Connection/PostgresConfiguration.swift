/// Where the database is, and how long to wait for it.
public struct PostgresConfiguration: Sendable {
    /// A libpq URL (`postgresql://user@/trolley?host=%2Frun%2Ftrolley`) or keywords (`host=/run/trolley dbname=trolley`).
    public let connectionString: String
    /// Shows in `pg_stat_activity`, unless the connection string sets its own.
    public var applicationName = "trolley"
    public var connectTimeout: Duration = .seconds(10)
    /// False when a pooler hands each transaction another server's connection, as pgbouncer does in transaction mode: a
    /// statement that one server has prepared is unknown to the next.
    public var preparesStatements = true
    /// Server settings by name, such as `["jit": "off"]`. Each connection has them from its start, whatever the server's
    /// own are. They are left out when `preparesStatements` is false, because such a connection is others' too.
    public var sessionSettings: [String: String] = [:]
    /// Settings for databases that have an extension, by its name: they come on top of `sessionSettings`, and instead of those of
    /// the same name.
    public var settingsWithExtension: [String: [String: String]] = [:]
    /// For each round trip, unless the call sets its own. `.unlimited`: none.
    public var statementTimeout: Duration = .seconds(30)
    /// How long a cancelled statement may take to end; then the connection is given up.
    public var cancelTimeout: Duration = .seconds(5)
    /// Host, port and database, for people. Never a password.
    public let location: String
    /// The servers that the connection string names.
    let servers: ServerList
    /// Where it is noted how long statements take.
    var times: StatementTimes?

    /// Errors: `configuration`, when libpq can't read the string.
    public init(_ connectionString: String) throws(PostgresError) {
        guard let settings = Handle.parse(connectionString) else {
            // libpq's own message would quote the string, and with it perhaps a password.
            throw PostgresError(
                .configuration, "the database URL is neither a postgresql:// URL nor a list of keyword=value")
        }
        self.connectionString = connectionString
        let host = settings["host"] ?? settings["hostaddr"] ?? "the default host"
        location = "\(host) port \(settings["port"] ?? "5432") database \(settings["dbname"] ?? "by default")"
        servers = ServerList(settings)
    }

    /// For PostgreSQL's own programs: the value of `--dbname`, without the password, which other users could read there. The
    /// password belongs into `PGPASSWORD`; nil when the connection string has none.
    public var forPrograms: (connection: String, password: String?) {
        var settings = Handle.parse(connectionString) ?? [:]
        let password = settings.removeValue(forKey: "password")
        let words = settings.sorted { $0.key < $1.key }.map { keyword, value in
            let quoted = value.flatMap { character -> [Character] in
                character == "'" || character == "\\" ? ["\\", character] : [character]
            }
            return "\(keyword)='\(String(quoted))'"
        }
        return (words.joined(separator: " "), password)
    }

    /// What libpq is handed. A later parameter overrides an earlier one.
    func parameters(for server: ServerList.Attempt?) -> [(keyword: String, value: String)] {
        [
            // A peer that vanishes without a word is noticed within 20 s, not two hours. Where something was sent to it and
            // not received, the system would try for a quarter of an hour.
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
    /// As a time-out: none.
    public static var unlimited: Duration { .seconds(Int64.max) }
}
