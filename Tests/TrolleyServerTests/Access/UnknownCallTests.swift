import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Unknown calls", .timeLimit(.minutes(20)))
struct UnknownCallTests {
    @Test("an unknown path is unknownRoute, with any method, signed in or not")
    func unknownPath() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            for path in ["/", "/v1", "/v2/lists", "/v1/list", "/v1/lists/x/y/z", "/v1/lists/x/state/y", "/V1/lists"] {
                for method in ["GET", "POST", "DELETE", "OPTIONS", "PURGE"] {
                    for token in [anna.token, nil] {
                        let answer = try await service.call(method, path, token: token)
                        #expect(try answer.outcome == "404 unknownRoute", "\(method) \(path)")
                        #expect(answer.headers["allow"] == nil)
                    }
                }
            }
        }
    }

    @Test("a wrong method is methodNotAllowed, and Allow has exactly the methods of the path")
    func wrongMethod() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            for (method, path, allow) in [
                ("PUT", "/v1/lists", "GET, HEAD, POST"), ("GET", "/v1/sessions", "POST"),
                ("OPTIONS", "/v1/changes", "POST"),
                ("POST", "/v1/account", "DELETE, GET, HEAD, PATCH"),
                ("PATCH", "/v1/lists/\(ListID.random())/state", "GET, HEAD"),
                ("DELETE", "/healthz", "GET, HEAD"), ("PURGE", "/v1/events", "GET, HEAD"),
                ("GET", "//v1//changes/", "POST"),
                // A word has precedence over a parameter: otherwise GET would look up an invitation by its secret.
                ("DELETE", "/v1/invitations/look", "POST"), ("DELETE", "/v1/invitations/x", "GET, HEAD"),
                ("GET", "/mcp", "POST"), ("DELETE", "/mcp", "POST"),
            ] {
                for token in [anna.token, nil] {
                    let answer = try await service.call(method, path, token: token)
                    #expect(try answer.outcome == "405 methodNotAllowed", "\(method) \(path)")
                    #expect(answer.headers["allow"] == allow, "\(method) \(path)")
                }
            }
        }
    }

    @Test("every described path answers a method that it doesn't have with those that it has")
    func everyPath() async throws {
        try await TestService.with { service in
            for (pattern, routes) in Dictionary(grouping: service.service.routes, by: \.pattern) {
                let path = Route(method: "", pattern: pattern).path(with: [:], otherwise: "x")
                let answer = try await service.call("TRACE", path)
                #expect(try answer.outcome == "405 methodNotAllowed", "\(pattern)")
                // Where GET is, HEAD is, too.
                let methods = routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
                #expect(answer.headers["allow"] == methods.sorted().joined(separator: ", "), "\(pattern)")
            }
        }
    }

    @Test("a slash at the end changes nothing")
    func trailingSlash() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            #expect(try await service.call("GET", "/v1/lists/", token: anna.token).status == 200)
        }
    }
}
