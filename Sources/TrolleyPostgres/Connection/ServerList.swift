internal import Synchronization

/// The servers that a connection string names (`host=a,b,c port=5432`). One of them takes the connection.
///
/// libpq tries them in turn by itself, but in non-blocking use it goes on only when a server answers. So each server is
/// tried separately, with its own time limit. The server that took the last connection is tried first.
final class ServerList: Sendable {
    struct Server: Hashable, Sendable {
        /// `host`, `hostaddr` and `port`, if the string has them.
        var settings: [String: String]

        /// For messages.
        var location: String {
            "\(settings["host"] ?? settings["hostaddr"] ?? "the default host") port \(settings["port"] ?? "5432")"
        }
    }

    /// One server, and the session attributes that it must have.
    struct Attempt: Hashable, Sendable {
        let server: Server
        /// Overrides the string's `target_session_attrs`.
        var attributes: String?

        var parameters: [(keyword: String, value: String)] {
            // An empty value overrides the connection string's, and libpq treats it as unset.
            ["host", "hostaddr", "port"].map { ($0, server.settings[$0] ?? "") }
                + (attributes.map { [("target_session_attrs", $0)] } ?? [])
        }
    }

    private let servers: [Server]
    private let attributes: String?
    private let last = Mutex<Server?>(nil)

    /// - Parameter settings: the settings in the connection string.
    init(_ settings: [String: String]) {
        attributes = settings["target_session_attrs"]
        func list(_ keyword: String) -> [String]? {
            settings[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = (addresses ?? hosts)?.count ?? 1
        // libpq rejects lists of different lengths, with a message.
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

    /// The attempts, in order. Empty when there is only one server; libpq connects to it directly.
    var attempts: [Attempt] {
        let first = last.withLock { $0 }
        let servers = servers.filter { $0 == first } + servers.filter { $0 != first }
        guard attributes == "prefer-standby" else { return servers.map { Attempt(server: $0) } }
        return servers.map { Attempt(server: $0, attributes: "standby") }
            + servers.map { Attempt(server: $0, attributes: "any") }
    }

    /// The next connection tries this server first.
    func noteSuccess(_ attempt: Attempt) { last.withLock { $0 = attempt.server } }
}
