import Testing
import TrolleyWire

@testable import TrolleyServer

@Suite("Headers that protect browsers", .timeLimit(.minutes(20)))
struct SecurityHeadersTests {
    @Test("every answer says nosniff, and without TLS nothing about TLS", arguments: [nil, "https", "http"])
    func plain(forwarded: String?) async throws {
        try await TestService.with { service in
            // Nobody trusts this client.
            let headers = forwarded.map { ["x-forwarded-proto": $0] } ?? [:]
            for (path, status) in [("/v1/config", 200), (Path.lists, 401), ("/nonsense", 404), ("/join", 200)] {
                let answer = try await service.call("GET", path, headers: headers)
                #expect(answer.status == status, "\(path)")
                #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
                #expect(answer.headers["strict-transport-security"] == nil, "\(path)")
            }
        }
    }

    @Test("behind a trusted proxy that says https, browsers are asked for TLS from then on")
    func behindProxy() async throws {
        let trusting: (inout ServiceConfiguration) -> Void = { $0.proxies = ProxyTrust(proxies: IPNetwork.loopback) }
        try await TestService.with(configure: trusting) { service in
            for (path, status) in [("/v1/config", 200), (Path.lists, 401), ("/nonsense", 404)] {
                let https = try await service.call("GET", path, headers: ["x-forwarded-proto": "https"])
                #expect(https.status == status && https.headers["x-content-type-options"] == "nosniff")
                #expect(https.headers["strict-transport-security"] == "max-age=31536000", "\(path)")
                let http = try await service.call("GET", path, headers: ["x-forwarded-proto": "http"])
                #expect(http.headers["strict-transport-security"] == nil, "\(path)")
            }
        }
    }
}
