import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("HEAD", .timeLimit(.minutes(20)))
struct HeadTests {
    /// Paths whose GET is endless, or differs each time.
    private static let others: Set<String> = [Path.events, "/metrics", Path.diagnostics]

    @Test("every path that has GET answers HEAD with the same status and headers, without content")
    func everyPath() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            var checked = 0
            for route in service.service.routes where route.method == "GET" {
                let path = route.path(with: ["list": "\(list)"], otherwise: "x")
                let head = try await service.call("HEAD", path, token: anna.token)
                #expect(head.body.isEmpty && head.status != 405, "\(path)")
                if Self.others.contains(route.pattern) { continue }
                let get = try await service.call("GET", path, token: anna.token)
                #expect(head.status == get.status, "\(path)")
                for name in ["content-type", "content-length", "cache-control", "allow", "upgrade"] {
                    #expect(head.headers[name] == get.headers[name], "\(path): \(name)")
                }
                checked += 1
            }
            #expect(checked > 30, "\(checked)")
        }
    }

    @Test("a path without GET refuses HEAD, and Allow names HEAD beside GET")
    func refused() async throws {
        try await TestService.with { service in
            for (path, allow) in [(Path.sessions, "POST"), ("/mcp", "POST")] {
                let answer = try await service.call("HEAD", path)
                #expect(answer.status == 405 && answer.body.isEmpty && answer.headers["allow"] == allow, "\(path)")
            }
            #expect(try await service.call("DELETE", "/healthz").headers["allow"] == "GET, HEAD")
        }
    }

    @Test("answers to HEAD have no content, not even a last chunk, so the connection goes on")
    func framing() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                // Of known length, of unknown length, endless, and refused.
                for path in ["/healthz", Path.export, Path.events, "/v1/nothing", Path.sessions] {
                    try await writer.write(
                        "HEAD \(path) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n\r\n")
                }
                try await writer.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
                return try await reader.readToEnd()
            }
            let parts = said.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
            let statuses = parts.dropLast().map { $0.prefix(12) }
            #expect(
                statuses == [
                    "HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 405", "HTTP/1.1 200",
                ], "\(said)")
            #expect(parts.last == #"{"status":"ok"}"#)
        }
    }

    @Test("HEAD of an event stream and of a socket opens neither")
    func nothingOpened() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let stream = try await service.call("HEAD", Path.events, token: anna.token)
            #expect(stream.status == 200 && stream.headers["content-type"] == "text/event-stream")
            #expect(stream.headers["content-length"] == nil && service.service.hub.streams == 0)
            #expect(try await service.call("HEAD", Path.events).status == 401)
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "HEAD \(Path.socket) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                        + "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
                        + "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                return try await reader.read(until: "\r\n\r\n")
            }
            #expect(said.hasPrefix("HTTP/1.1 426 "), "\(said)")
            #expect(service.service.rooms.sockets == 0)
        }
    }

    @Test("a personal token may HEAD what it may GET")
    func personalTokens() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try await service.personalToken(of: anna, #"{"name":"wall","readOnly":true}"#).token
            for (path, status) in [(Path.state(list), 200), (Path.account, 200), (Path.devices, 403)] {
                #expect(try await service.call("HEAD", path, token: token).status == status, "\(path)")
            }
        }
    }

    @Test("a cookie may HEAD what it may GET, also where the browser doesn't say which page asks")
    func cookies() async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            for site in [nil, "same-origin", "cross-site"] {
                var headers = ["cookie": cookie]
                headers["sec-fetch-site"] = site
                let head = try await service.call("HEAD", Path.lists, headers: headers)
                #expect(head.status == (site == "cross-site" ? 403 : 200), "\(site ?? "none")")
                #expect(try await service.call("GET", Path.lists, headers: headers).status == head.status)
            }
        }
    }

    @Test("a task of CalDAV answers HEAD with its etag and length")
    func calendars() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("milk.ics", "SUMMARY:milk")
            let task = try await scene.get("milk.ics")
            let head = try await scene.call("HEAD", scene.path + "milk.ics")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == task.etag)
            #expect(head.headers["content-length"] == "\(task.text.utf8.count)")
            #expect(try await scene.call("HEAD", scene.path + "bread.ics").status == 404)
        }
    }

    @Test("HEAD of the address to which an identity provider leads back doesn't use up the sign-in")
    func signIn() async throws {
        var provider = IdentityProvider(issuer: "https://id.example.com", audience: "trolley", keys: "/nowhere")
        provider.browsers = IdentityProvider.Browsers(name: "Example")
        let configured = provider
        try await TestService.with(configure: { $0.identity = configured }) { service in
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "HEAD /v1/identity/callback?code=x&state=y HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
                return try await reader.readToEnd()
            }
            let lower = said.lowercased()
            #expect(lower.hasPrefix("http/1.1 303 ") && lower.contains("\r\nlocation: /\r\n"), "\(said)")
            #expect(!lower.contains("set-cookie"))
        }
    }
}
