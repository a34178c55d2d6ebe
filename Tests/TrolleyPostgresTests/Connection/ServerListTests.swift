import Testing
import TrolleyTestSupport

@testable import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#endif

/// A connection string with several servers, such as a primary and its standbys.
@Suite(.timeLimit(.minutes(20))) struct ServerListTests {
    @Test func `a server that says nothing leaves the others their time, and is tried last from then on`()
        async throws
    {
        let silent = try SilentPort()
        defer { silent.close() }
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration(Self.url(url, after: "127.0.0.1", port: silent.port))
            // Half of it for each server. It passes while this process waits for a processor, too: a login has several
            // steps, and some thirty tests share the threads that take them.
            configuration.connectTimeout = .seconds(80)
            let ports = { configuration.servers.attempts.map(\.server.settings["port"]) }
            let before = ports()
            #expect(before.first == "\(silent.port)")
            let connection = try await Connection.connect(configuration)
            #expect(try await connection.execute("SELECT 1").count == 1)
            #expect(ports() == before.reversed())
            _ = try await Connection.connect(configuration)
        }
    }

    @Test func `a server that refuses, or has the wrong role, is skipped`() async throws {
        try await withTestDatabase { url in
            // Nothing listens at port 1. The other server accepts changes, so it isn't a standby.
            for attributes in ["read-write", "prefer-standby"] {
                let several = try PostgresConfiguration(
                    Self.url(url, after: "127.0.0.1", port: 1) + "&target_session_attrs=\(attributes)")
                let connection = try await Connection.connect(several)
                #expect(try await connection.execute("SELECT 1").count == 1)
            }
            let standby = try PostgresConfiguration(
                Self.url(url, after: "127.0.0.1", port: 1) + "&target_session_attrs=standby")
            let error = await #expect(throws: PostgresError.self) { _ = try await Connection.connect(standby) }
            #expect(error?.kind == .connectionFailed && error?.sqlState == nil && error?.isWorthRetrying == true)
        }
    }

    @Test func `a permanent refusal by all servers is not retried`() async throws {
        try await withTestDatabase { url in
            var settings = try #require(Handle.parse(url))
            let host = try #require(settings["host"])
            settings["dbname"] = "there_is_no_such_database"
            let words = settings.filter { $0.key != "host" }.map { "\($0)='\($1)'" }.joined(separator: " ")
            let both = try PostgresConfiguration("\(words) host='\(host),\(host)'")
            let error = await #expect(throws: PostgresError.self) { _ = try await Connection.connect(both) }
            #expect(error?.sqlState?.rawValue == "3D000" && error?.isWorthRetrying == false)
        }
    }

    @Test func `hosts, addresses and ports belong together by their place`() {
        func attempts(_ settings: [String: String]) -> [[String: String]] {
            ServerList(settings).attempts.map(\.server.settings)
        }
        #expect(
            attempts(["host": "a,b,", "port": "1,2,"])
                == [["host": "a", "port": "1"], ["host": "b", "port": "2"], ["host": "", "port": ""]])
        #expect(attempts(["host": "a,b", "port": "7"]) == [["host": "a", "port": "7"], ["host": "b", "port": "7"]])
        #expect(
            attempts(["host": "a,b", "hostaddr": "10.0.0.1,10.0.0.2"])
                == [["host": "a", "hostaddr": "10.0.0.1"], ["host": "b", "hostaddr": "10.0.0.2"]])
        // A single server and inconsistent lists are left to libpq.
        #expect(attempts(["host": "a"]).isEmpty && attempts([:]).isEmpty)
        #expect(attempts(["host": "a,b,c", "port": "1,2"]).isEmpty)
        let list = ServerList(["host": "a,b", "target_session_attrs": "prefer-standby"])
        #expect(list.attempts.map(\.attributes) == ["standby", "standby", "any", "any"])
        list.noteSuccess(list.attempts[1])
        #expect(list.attempts.map { $0.server.settings["host"] } == ["b", "a", "b", "a"])
    }

    /// A test database's URL, with another server before its own.
    private static func url(_ url: String, after host: String, port: Int) throws -> String {
        let settings = try #require(Handle.parse(url))
        let own = try #require(settings["host"])
        let hosts = "\(host),\(own)".map { $0 == "/" ? "%2F" : String($0) }.joined()
        let user = settings["user"].map { "user=\($0)&" } ?? ""
        let ports = "\(port),\(settings["port"] ?? "5432")"
        return "postgresql:///\(settings["dbname"] ?? "")?\(user)host=\(hosts)&port=\(ports)"
    }
}

/// A port that neither accepts nor refuses connections, like that of a machine that is gone, because its queue is full.
private final class SilentPort {
    let port: Int
    private var descriptors: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try #require(bind(listener, pointer, length) == 0 && listen(listener, 0) == 0)
                try #require(getsockname(listener, pointer, &length) == 0)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        descriptors = [listener]
        for _ in 0..<8 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(client)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
            }
        }
    }

    func close() {
        for descriptor in descriptors { _ = Glibc.close(descriptor) }
    }
}
