internal import Synchronization

/// The servers that a connection string names, of which one takes the connection: `host=a,b,c port=5432`.
///
/// libpq tries them in turn by itself, but only a server that answers makes it go on when it is used without blocking. So
/// each is tried by itself, within a limit of its own, and the one that took the last connection comes first.
final class ServerList: Sendable {
    struct Server: Hashable, Sendable {
        /// `host`, `hostaddr` and `port`, as far as the string has them.
        var settings: [String: String]

        /// For people.
        var location: String {
            "\(settings["host"] ?? settings["hostaddr"] ?? "the default host") port \(settings["port"] ?? "5432")"
        }
    }

    /// One server, and what is asked of it.
    struct Attempt: Hashable, Sendable {
        let server: Server
        /// Instead of the string's `target_session_attrs`.
        var attributes: String?

        var parameters: [(keyword: String, value: String)] {
            // An empty one overrides that of the connection string, and counts as none.
            ["host", "hostaddr", "port"].map { ($0, server.settings[$0] ?? "") }
                + (attributes.map { [("target_session_attrs", $0)] } ?? [])
        }
    }

    private let servers: [Server]
    private let attributes: String?
    private let last = Mutex<Server?>(nil)

    /// - Parameter settings: of the connection string.
    init(_ settings: [String: String]) {
        attributes = settings["target_session_attrs"]
        func list(_ keyword: String) -> [String]? {
            settings[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = (addresses ?? hosts)?.count ?? 1
        // libpq refuses lists that don't fit together, and says why.
        guard count > 1, hosts.map({ $0.count == count }) ?? true, ports.map({ [1, count].contains($0.count) }) ?? true
        else {
            servers = []
            return
        }
        servers = (0..<count).map { index in
            var settings: [String: String] = [:]
            settings["host"] = hosts?[index]
            settings["hostaddr"] = addresses?[index]
            settings["port"] = ports.map { $0.count == 1 ? $0[0] : $0[index] }
            return Server(settings: settings)
        }
    }

    /// In which order to try. Empty when there is only one server: libpq knows it.
    var attempts: [Attempt] {
        let first = last.withLock { $0 }
        let servers = servers.filter { $0 == first } + servers.filter { $0 != first }
        guard attributes == "prefer-standby" else { return servers.map { Attempt(server: $0) } }
        return servers.map { Attempt(server: $0, attributes: "standby") }
            + servers.map { Attempt(server: $0, attributes: "any") }
    }

    /// The next connection is tried there first.
    func noteSuccess(_ attempt: Attempt) { last.withLock { $0 = attempt.server } }
}
