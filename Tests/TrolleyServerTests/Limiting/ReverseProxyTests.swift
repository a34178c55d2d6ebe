import AsyncHTTPClient
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import Subprocess
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// The service behind real proxies with the files of deploy/. Each client has its own address, because this machine has
/// all of 127.0.0.0/8.
@Suite("Behind the proxies of deploy/", .timeLimit(.minutes(20)))
struct ReverseProxyTests {
    @Test("the tests have a proxy to try")
    func installed() { #expect(!TestProxy.installed.isEmpty, "see script/bootstrap") }

    @Test("each client has limits of its own, and no header makes another of it", arguments: TestProxy.installed)
    func limits(proxy: TestProxy) async throws {
        try await with(
            proxy, trusted: true,
            configure: { configuration in
                configuration.rates.requestsPerMinuteByAddress = 3
                configuration.stopRateClock()
            }
        ) { client, _ in
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await client.get(Path.config, from: "127.0.0.2")) }
            #expect(statuses == [200, 200, 200, 429])
            for header in ["X-Forwarded-For: 203.0.113.7", "Forwarded: for=203.0.113.7", "X-Real-IP: 203.0.113.7"] {
                #expect(try await client.get(Path.config, from: "127.0.0.2", header: header) == 429, "\(header)")
            }
            #expect(try await client.get(Path.config, from: "127.0.0.3") == 200)
        }
    }

    @Test("attempts to sign in are counted by client", arguments: TestProxy.installed)
    func attempts(proxy: TestProxy) async throws {
        try await with(proxy, trusted: true, configure: { $0.rates.attemptsPerHourByAddress = 2 }) { client, _ in
            let guess = #"{"email":"a@example.com","password":"x"}"#
            var statuses: [Int] = []
            for address in ["127.0.0.2", "127.0.0.2", "127.0.0.2", "127.0.0.3"] {
                statuses.append(try await client.post(Path.sessions, guess, from: address))
            }
            #expect(statuses == [401, 401, 429, 401])
        }
    }

    @Test("the metrics are nobody's, however the path is written", arguments: TestProxy.installed, [true, false])
    func metrics(proxy: TestProxy, isTrusted: Bool) async throws {
        try await with(proxy, trusted: isTrusted) { client, service in
            let direct = try await service.call("GET", "/metrics").status
            #expect(direct == 200)
            for path in [
                "/metrics", "//metrics", "/metrics/", "///metrics//", "/%6detrics", "/v1/../metrics", "/./metrics",
                "/metrics?x=1", "/healthz/../metrics",
            ] {
                #expect(try await client.get(path, from: "127.0.0.1") == 404, "\(path)")
            }
            #expect(try await client.get("/healthz", from: "127.0.0.1") == 200)
        }
    }

    @Test("hints come through as they happen, and large uploads whole", arguments: TestProxy.installed)
    func hints(proxy: TestProxy) async throws {
        try await with(proxy, trusted: true) { client, service in
            let anna = try await service.person("anna")
            let desk = try await service.signIn(anna.email)
            let list = try await service.list(of: anna)
            try await client.certificate.client(onlyHTTP1: false) { http in
                func request(_ path: String, _ token: String) -> HTTPClientRequest {
                    var request = HTTPClientRequest(url: "https://localhost:\(client.port)\(path)")
                    request.headers.add(name: "authorization", value: "Bearer \(token)")
                    return request
                }
                let stream = try await http.execute(request(Path.events, desk.token), timeout: .seconds(120))
                var heard = ""
                var isSent = false
                for try await piece in stream.body {
                    heard += String(buffer: piece)
                    if heard.contains("event: sync"), !isSent {
                        isSent = true
                        var upload = request(Path.entries(list), anna.token)
                        upload.method = .POST
                        let note = String(repeating: "x", count: 3_900)
                        let entries = (1...300).map { number in
                            let fields: Fields = ["text": .string("item \(number)"), "note": .string(note)]
                            let entry = JournalEntry(
                                id: .random(), operation: .add, item: .random(), fields: fields,
                                deviceSequence: Int64(number))
                            return UploadEntry(entry: entry, age: 0)
                        }
                        upload.body = .bytes(UploadRequest(entries: entries).json)
                        #expect(try await http.execute(upload, timeout: .seconds(120)).status == .ok)
                    }
                    if heard.contains("event: changed") { break }
                }
                #expect(heard.contains("\(list)"))
            }
        }
    }

    @Test("a room and hints work on sockets, and neither log nor doctor says otherwise", arguments: TestProxy.installed)
    func sockets(proxy: TestProxy) async throws {
        let lines = Lines()
        try await with(proxy, trusted: true, log: lines.logger(.warning)) { client, service in
            let scene = try await RoomScene(service)
            let (port, tls) = (client.port, client.certificate.trusting(offering: ["http/1.1"]))
            let host = ["Host: localhost:\(port)"]
            try await within {
                try await TestSocket.with(
                    port: port, scene.path(scene.anna), token: scene.anna.token, headers: host, tls: tls
                ) { anna in
                    #expect(anna.status == 101)
                    try await TestSocket.with(
                        port: port, Path.socket, token: scene.ben.token, headers: host, tls: tls
                    ) { ben in
                        try #require(ben.status == 101, "\(ben.body)")
                        try await ben.send(.join(scene.room.handshake(of: scene.ben)))
                        let member = RoomMember(account: scene.ben.account, device: scene.ben.device)
                        #expect(try await anna.event { $0.isEntered } == .entered(scene.room.address, member))
                        let body = String(repeating: "A", count: 4096)
                        try await ben.send(.say(scene.room.address, body: body))
                        #expect(try await anna.event { $0.saidBody != nil }?.saidBody == body)
                        try await ben.send(.hints(lastEventID: nil))
                        _ = try await ben.event { if case .hint("sync", _, _, _) = $0 { true } else { false } }
                        _ = try await service.upload([.add("milk")], to: scene.list, by: scene.anna)
                        let hint = try await ben.event {
                            if case .hint("changed", _, _, _) = $0 { true } else { false }
                        }
                        #expect(hint != nil)
                    }
                }
            }
            #expect(lines.text == "")
            #expect(await Self.finding("sockets", service)?.verdict == .ok)
        }
    }

    @Test(
        "a proxy that drops the headers of a request to upgrade is noticed: in the log, once, and by doctor",
        arguments: [true, false])
    func droppedUpgrade(isTrusted: Bool) async throws {
        let lines = Lines()
        try await TestService.with(
            log: lines.logger(.warning),
            configure: { $0.proxies.proxies = isTrusted ? ["127.0.0.1"].compactMap(IPNetwork.init) : [] }
        ) { service in
            let anna = try await service.person("anna")
            // As nginx passes it on by default. Without the key it is a call of another kind.
            let key = ["sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13"]
            let forwarded = isTrusted ? [:] : ["x-forwarded-for": "203.0.113.7"]
            #expect(try await service.call("GET", Path.socket, token: anna.token, headers: forwarded).status == 426)
            #expect(!lines.text.contains("WebSockets don't open"))
            for _ in 0..<3 {
                let answer = try await service.call(
                    "GET", Path.socket, token: anna.token, headers: key.merging(forwarded) { $1 })
                #expect(answer.status == 426)
            }
            #expect(lines.text.ranges(of: "WebSockets don't open").count == 1)
            #expect(lines.text.contains("proxy=127.0.0.1"))
            try await eventually {
                await Self.finding("sockets", service)?.verdict
            } until: {
                $0 == .warning
            }
        }
    }

    @Test("a proxy that isn't trusted is noticed: in the log, once, and by doctor", arguments: TestProxy.installed)
    func noticed(proxy: TestProxy) async throws {
        let lines = Lines()
        try await with(proxy, trusted: false, log: lines.logger(.warning)) { client, service in
            for _ in 0..<3 { #expect(try await client.get(Path.config, from: "127.0.0.2") == 200) }
            #expect(lines.text.ranges(of: "forwarding headers are not believed").count == 1)
            #expect(lines.text.contains("127.0.0.1 sends them"))
            try await eventually {
                await Self.finding("proxy", service)?.verdict
            } until: {
                $0 == .warning
            }
        }
        let silent = Lines()
        try await with(proxy, trusted: true, log: silent.logger(.warning)) { client, _ in
            let status = try await client.get(Path.config, from: "127.0.0.2")
            #expect(status == 200 && silent.text == "")
        }
    }

    /// What doctor finds about one matter.
    private static func finding(_ check: String, _ service: TestService) async -> Finding? {
        await Doctor(pool: service.pool, compressionAge: 0, clock: { now }).examine().first { $0.check == check }
    }

    private static var now: Timestamp { Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }

    private func with(
        _ proxy: TestProxy, trusted: Bool, log: Logger = .none,
        configure: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: (ProxyClient, TestService) async throws -> Void
    ) async throws {
        try await Certificate.with { certificate in
            try await TestService.with(
                connections: 4, log: log,
                configure: { configuration in
                    if trusted { configuration.proxies.proxies = ["127.0.0.1"].compactMap(IPNetwork.init) }
                    configure(&configuration)
                }
            ) { service in
                try await proxy.with(
                    service: service.port, certificate: certificate.files.certificate, key: certificate.files.key
                ) { port in
                    try await body(ProxyClient(port: port, certificate: certificate), service)
                }
            }
        }
    }
}

/// Calls through a proxy, from an address of this machine.
private struct ProxyClient {
    let port: Int
    let certificate: Certificate

    func get(_ path: String, from address: String, header: String = "X-Nothing: 1") async throws -> Int {
        try await curl([path.url(port), "--header", header], from: address)
    }

    func post(_ path: String, _ json: String, from address: String) async throws -> Int {
        try await curl([path.url(port), "--data", json], from: address)
    }

    /// - Returns: the status.
    private func curl(_ arguments: [String], from address: String) async throws -> Int {
        let result = try await Subprocess.run(
            .name("curl"),
            arguments: .init(
                [
                    "--silent", "--show-error", "--path-as-is", "--max-time", "60", "--interface", address, "--cacert",
                    certificate.files.certificate, "--output", "/dev/null", "--write-out", "%{http_code}",
                ] + arguments), output: .string(limit: 64), error: .string(limit: 1 << 16))
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        return Int(result.standardOutput) ?? 0
    }
}

extension String {
    fileprivate func url(_ port: Int) -> String { "https://localhost:\(port)\(self)" }
}
