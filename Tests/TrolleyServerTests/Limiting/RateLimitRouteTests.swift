import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Rate limits over HTTP", .timeLimit(.minutes(20)))
struct RateLimitRouteTests {
    @Test("a device with too many requests gets a time to wait, and the account's other device doesn't")
    func device() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.requestsPerMinuteByDevice = 5
            configuration.stopRateClock()
        }) { service in
            let phone = try await service.person("anna")
            let tablet = try await service.signIn(phone.email)
            for _ in 0..<5 { #expect(try await service.call("GET", Path.lists, token: phone.token).status == 200) }
            let answer = try await service.call("GET", Path.lists, token: phone.token)
            let problem = try answer.problem
            #expect(problem.code == .requestRateLimited && (1...12).contains(problem.retryAfter ?? 0))
            #expect(answer.headers["retry-after"] == problem.retryAfter.map(String.init))
            #expect(try await service.call("GET", Path.lists, token: tablet.token).status == 200)
        }
    }

    @Test("all of a person's devices together have a limit, and other people have their own")
    func account() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.requestsPerMinuteByAccount = 4
            configuration.stopRateClock()
        }) { service in
            let phone = try await service.person("anna")
            let tablet = try await service.signIn(phone.email)
            let ben = try await service.person("ben")
            for person in [phone, tablet, phone, tablet] {
                #expect(try await service.call("GET", Path.lists, token: person.token).status == 200)
            }
            #expect(try await service.outcome("GET", Path.lists, token: phone.token) == "429 requestRateLimited")
            #expect(try await service.call("GET", Path.lists, token: ben.token).status == 200)
        }
    }

    @Test("changing who is on lists has a limit by account; leaving and removing are always possible")
    func shares() async throws {
        try await TestService.with(configure: { $0.rates.shareChangesPerHourByAccount = 4 }) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let secret = try await service.invite(nil, to: list, of: anna)
            #expect(try await service.open(Path.accept, secret, by: ben).status == 200)
            let path = Path.participant(ben.account, of: list)
            for permission in ["readOnly", "readWrite", "readOnly"] {
                let answer = try await service.call(
                    "PATCH", path, token: anna.token, json: #"{"permission":"\#(permission)"}"#)
                #expect(answer.status == 200)
            }
            let refused = try await service.call("PATCH", path, token: anna.token, json: #"{"permission":"readWrite"}"#)
            #expect(try refused.outcome == "429 requestRateLimited")
            let problem = try refused.problem
            #expect((problem.retryAfter ?? 0) > 0)
            for (method, path, json) in [
                ("POST", Path.invitations(list), #"{"permission":"readOnly"}"#),
                ("PUT", Path.owner(list), #"{"account":"\#(ben.account)"}"#),
                ("POST", Path.lists, #"{"id":"\#(ListID.random())","share":{"invitations":[]}}"#),
            ] {
                let answer = try await service.call(method, path, token: anna.token, json: json)
                #expect(try answer.outcome == "429 requestRateLimited", "\(path)")
            }
            #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            let config = try await service.call("GET", Path.config).decode(ConfigResponse.self)
            #expect(config.rates?.shareChangesPerHourByAccount == 4)
        }
    }

    @Test("an address has a limit, and whether the service is alive can be asked all the same")
    func address() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.requestsPerMinuteByAddress = 3
            configuration.stopRateClock()
        }) { service in
            for _ in 0..<3 { #expect(try await service.call("GET", Path.config).status == 200) }
            #expect(try await service.outcome("GET", Path.config) == "429 requestRateLimited")
            // For any spelling and any target of the path.
            for path in ["/v1/nothing", "//v1/config", "/openapi.yaml", "/join", "//healthz"] {
                #expect(try await service.outcome("GET", path) == "429 requestRateLimited", "\(path)")
            }
            #expect(try await service.call("GET", "/healthz").status == 200)
            // Not 200: a machine whose processors are all taken isn't ready within a second.
            #expect(try await service.call("GET", "/readyz").status != 429)
            let metrics = try await service.call("GET", "/metrics").text
            #expect(metrics.contains(#"trolley_rate_limited_total{by="address"} 6"#))
        }
    }

    @Test(
        "behind a trusted proxy each client has a limit of its own; nobody else is believed", arguments: [true, false])
    func proxy(isTrusted: Bool) async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.requestsPerMinuteByAddress = 2
            configuration.stopRateClock()
            if isTrusted { configuration.proxies.proxies = IPNetwork.loopback }
        }) { service in
            func ask(_ client: String) async throws -> Int {
                try await service.call("GET", Path.config, headers: ["x-forwarded-for": client]).status
            }
            var statuses: [Int] = []
            for client in ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2"] {
                statuses.append(try await ask(client))
            }
            #expect(statuses == [200, 200, 429, isTrusted ? 200 : 429])
        }
    }

    @Test("an IPv6 network of 64 bits counts as one address for requests and attempts")
    func network() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.requestsPerMinuteByAddress = 6
            configuration.stopRateClock()
            configuration.rates.attemptsPerHourByAddress = 2
            configuration.proxies.proxies = IPNetwork.loopback
        }) { service in
            func ask(_ client: String) async throws -> Int {
                try await service.call("GET", Path.config, headers: ["x-forwarded-for": client]).status
            }
            func guess(_ client: String, _ number: Int) async throws -> Int {
                let json = #"{"email":"nobody\#(number)@example.com","password":"wrong horse"}"#
                return try await service.call(
                    "POST", Path.sessions, body: Array(json.utf8), headers: ["x-forwarded-for": client]
                ).status
            }
            var statuses: [Int] = []
            for number in 1...3 { statuses.append(try await guess("2001:db8:1:2::\(number)", number)) }
            statuses.append(try await guess("2001:db8:1:3::1", 4))
            #expect(statuses == [401, 401, 429, 401])
            // Three of the network's requests were guesses.
            statuses = []
            for number in 4...7 { statuses.append(try await ask("2001:db8:1:2:\(number)::\(number)")) }
            statuses.append(try await ask("2001:db8:1:3::2"))
            #expect(statuses == [200, 200, 200, 429, 200])
        }
    }

    @Test("an IPv6 network of 64 bits counts as one address for connections")
    func networkOfConnections() throws {
        let connections = ConnectionCount(maximum: 10, byAddress: 2)
        let entered = ["2001:db8:1:2::1", "2001:db8:1:2:3::2", "2001:db8:1:2:4::3", "2001:db8:1:3::1"].map {
            connections.enter(IPAddress($0))
        }
        #expect(entered == [true, true, false, true])
        connections.leave(IPAddress("2001:db8:1:2:5::4"))
        #expect(connections.enter(IPAddress("2001:db8:1:2::9")))
    }

    @Test("a device's oldest stream is closed for a new one")
    func oldestStream() async throws {
        try await TestService.with(configure: { $0.rates.streamsPerDevice = 2 }) { service in
            let anna = try await service.person("anna")
            let (hub, session) = (service.service.hub, Session(account: anna.account, device: anna.device))
            var streams: [Subscription] = []
            for _ in 1...3 { streams.append(try await hub.subscribe(session, lastEventID: nil)) }
            #expect(streams.map(\.isEnded) == [true, false, false])
            streams.append(try await hub.subscribe(session, lastEventID: nil))
            #expect(streams.map(\.isEnded) == [true, true, false, false])
            for stream in streams { hub.unsubscribe(stream) }
        }
    }

    @Test("the limits in force are in the configuration")
    func config() async throws {
        let rates = Rates(requestsPerMinuteByAccount: nil, requestsPerMinuteByDevice: 7, streamsPerDevice: 2)
        let quotas = Quotas(entriesPerList: 9, listsPerAccount: nil)
        try await TestService.with(configure: { ($0.rates, $0.quotas) = (rates, quotas) }) { service in
            let config: ConfigResponse = try await service.call("GET", Path.config).decode()
            #expect(config.rates == rates && config.quotas == quotas)
        }
    }

    @Test("a household at full tilt never meets the default limits, though its requests count", arguments: [nil, 200])
    func household(limit: Int?) async throws {
        let defaults = Rates()
        try await TestService.with(
            connections: 4,
            configure: { configuration in
                configuration.rates.requestsPerMinuteByDevice = limit ?? defaults.requestsPerMinuteByDevice
                configuration.stopRateClock()
            }
        ) { service in
            #expect((service.service.configuration.rates == defaults) == (limit == nil))
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            var statuses: [Int: Int] = [:]
            for number in 1...150 {
                let upload = UploadRequest(
                    entries: [UploadEntry(entry: .add("item \(number)", Int64(number)), age: 0)])
                for answer in [
                    try await service.call("POST", Path.entries(list), token: anna.token, body: upload.json),
                    try await service.call("GET", Path.changes(list), token: anna.token),
                ] {
                    statuses[answer.status, default: 0] += 1
                }
            }
            let metrics = try await service.call("GET", "/metrics").text
            let limited = metrics.contains(#"trolley_rate_limited_total{by="device"}"#)
            if limit == nil {
                #expect(statuses == [200: 300] && !limited)
            } else {
                #expect(statuses[429] ?? 0 > 0 && limited)
            }
        }
    }

    @Test("a device's oldest stream makes room for a new one; a person's devices together have a limit")
    func streams() async throws {
        try await TestService.with(
            connections: 4, configure: { ($0.rates.streamsPerDevice, $0.rates.streamsPerAccount) = (1, 2) }
        ) { service in
            let phone = try await service.person("anna")
            let tablet = try await service.signIn(phone.email)
            let laptop = try await service.signIn(phone.email)
            try await RawConnection.with(port: service.port) { first, writer in
                try await writer.write(Self.request(phone))
                _ = try await first.read(until: "event: sync")
                try await RawConnection.with(port: service.port) { second, writer in
                    try await writer.write(Self.request(phone))
                    _ = try await second.read(until: "event: sync")
                    try await RawConnection.with(port: service.port) { third, writer in
                        try await writer.write(Self.request(tablet))
                        _ = try await third.read(until: "event: sync")
                        let refused = try await service.call("GET", Path.events, token: laptop.token)
                        #expect(try refused.outcome == "429 requestRateLimited")
                    }
                }
                let ended = try await first.read(until: "\r\n0\r\n\r\n")
                #expect(ended.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    private static func request(_ person: Person) -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\r\n"
    }
}
