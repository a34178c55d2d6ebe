import Testing
import TrolleyWire

@testable import TrolleyServer

@Suite("Cross-origin calls", .timeLimit(.minutes(20)))
struct CrossOriginTests {
    private static let page = "https://lists.example.com"

    private func allowing(
        _ origins: String, _ body: (TestService) async throws -> Void
    ) async throws {
        let allowed = try #require(AllowedOrigins(origins))
        try await TestService.with(configure: { $0.origins = allowed }, body)
    }

    /// The names of a response's CORS headers.
    private func names(_ answer: Answer) -> [String] {
        answer.headers.keys.filter { $0.hasPrefix("access-control-") }.sorted()
    }

    @Test("without the setting no answer has a header of CORS, and a preflight is a wrong method")
    func closed() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let answer = try await service.call("GET", Path.lists, token: anna.token, headers: ["origin": Self.page])
            #expect(answer.status == 200 && names(answer).isEmpty && answer.headers["vary"] == nil)
            let preflight = try await service.preflight(Path.lists, from: Self.page)
            #expect(try preflight.outcome == "405 methodNotAllowed" && names(preflight).isEmpty)
        }
    }

    @Test("a page of an allowed origin may read answers, also errors and streams, and never with credentials")
    func allowed() async throws {
        try await allowing("https://a.example.com, \(Self.page)") { service in
            let anna = try await service.person("anna")
            let origin = ["origin": Self.page]
            for (path, token, status) in [
                (Path.lists, anna.token, 200), (Path.lists, "x", 401), ("/v1/nothing", anna.token, 404),
            ] {
                let answer = try await service.call("GET", path, token: token, headers: origin)
                #expect(answer.status == status)
                #expect(answer.headers["access-control-allow-origin"] == Self.page)
                #expect(answer.headers["vary"] == "Origin")
                let exposed = answer.headers["access-control-expose-headers"]?.components ?? []
                #expect(exposed.isSuperset(of: ["retry-after", "x-request-id", "www-authenticate"]))
                #expect(names(answer) == ["access-control-allow-origin", "access-control-expose-headers"])
            }
            let head = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                        + "origin: \(Self.page)\r\n\r\n")
                return try await reader.read(until: "event: sync").lowercased()
            }
            #expect(head.contains("access-control-allow-origin: \(Self.page)\r\n"))
        }
    }

    @Test("a preflight says the methods of the path and the headers that the API reads")
    func preflight() async throws {
        try await allowing(Self.page) { service in
            for (path, methods) in [
                (Path.lists, "GET, HEAD, POST"), (Path.account, "DELETE, GET, HEAD, PATCH"), (Path.sessions, "POST"),
            ] {
                let answer = try await service.preflight(path, from: Self.page)
                #expect(answer.status == 204 && answer.body.isEmpty)
                #expect(answer.headers["access-control-allow-origin"] == Self.page)
                #expect(answer.headers["access-control-allow-methods"] == methods)
                let headers = answer.headers["access-control-allow-headers"]?.components ?? []
                #expect(headers.isSuperset(of: ["authorization", "content-type", "idempotency-key", "last-event-id"]))
                #expect(answer.headers["access-control-max-age"] == "600" && answer.headers["vary"] == "Origin")
                #expect(answer.headers["access-control-allow-credentials"] == nil)
            }
            let unknown = try await service.preflight("/v1/nothing", from: Self.page)
            #expect(try unknown.outcome == "404 unknownRoute")
            // OPTIONS without a preflight's headers is still a wrong method.
            let options = try await service.call("OPTIONS", Path.lists, headers: ["origin": Self.page])
            #expect(try options.outcome == "405 methodNotAllowed")
        }
    }

    @Test(
        "a page of another origin gets no header of CORS",
        arguments: [
            "https://evil.example", "null", "", "https://lists.example.com.evil.example", "http://lists.example.com",
            "https://lists.example.com:8443", "https://sub.lists.example.com", "*",
        ])
    func notAllowed(origin: String) async throws {
        try await allowing(Self.page) { service in
            let anna = try await service.person("anna")
            let answer = try await service.call("GET", Path.lists, token: anna.token, headers: ["origin": origin])
            #expect(names(answer).isEmpty && answer.headers["vary"] == "Origin")
            let preflight = try await service.preflight(Path.lists, from: origin)
            #expect(try preflight.outcome == "405 methodNotAllowed" && names(preflight).isEmpty)
            #expect(preflight.headers["vary"] == "Origin")
            let without = try await service.call("GET", Path.lists, token: anna.token)
            #expect(names(without).isEmpty && without.headers["vary"] == "Origin")
        }
    }

    @Test("an allowed page signs in by a token and uses it; it gets and uses no cookie")
    func noCookie() async throws {
        try await allowing(Self.page) { service in
            let cookie = try await service.signUpInBrowser().cookie
            let page = ["origin": Self.page, "sec-fetch-site": "cross-site"]
            let form = #"{"email":"anna@example.com","password":"\#(TestService.password)"}"#
            let session = try await service.call("POST", Path.sessions, body: Array(form.utf8), headers: page)
            let token = try session.decode(SessionResponse.self).token
            #expect(try await service.call("GET", Path.lists, token: token, headers: page).status == 200)
            let wanting = form.replacing("}", with: #","cookie":true}"#)
            let refused = try await service.call("POST", Path.sessions, body: Array(wanting.utf8), headers: page)
            #expect(try refused.outcome == "403 crossOriginRequest")
            let using = try await service.call("GET", Path.lists, headers: page.merging(["cookie": cookie]) { $1 })
            #expect(try using.outcome == "403 crossOriginRequest")
        }
    }

    @Test("preflights count against the address's limit")
    func limited() async throws {
        let allowed = try #require(AllowedOrigins(Self.page))
        try await TestService.with(configure: { configuration in
            configuration.origins = allowed
            configuration.rates.requestsPerMinuteByAddress = 2
            configuration.stopRateClock()
        }) { service in
            for status in [204, 204, 429] {
                #expect(try await service.preflight(Path.lists, from: Self.page).status == status)
            }
            let limited = try await service.call("GET", Path.config, headers: ["origin": Self.page])
            #expect(
                limited.headers["access-control-allow-origin"] == Self.page && limited.headers["retry-after"] != nil)
        }
    }
}

extension TestService {
    fileprivate func preflight(_ path: String, from origin: String) async throws -> Answer {
        try await call(
            "OPTIONS", path,
            headers: [
                "origin": origin, "access-control-request-method": "POST",
                "access-control-request-headers": "authorization,content-type",
            ])
    }
}

extension String {
    /// The parts of a header's value.
    fileprivate var components: Set<String> { Set(split(separator: ",").map { $0.filter { $0 != " " } }) }
}
