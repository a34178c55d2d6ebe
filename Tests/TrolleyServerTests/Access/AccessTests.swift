import HTTPTypes
import Hummingbird
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Permissions", .timeLimit(.minutes(20)))
struct AccessTests {
    /// The calls that need no session.
    static let open = Set(PermissionTable.rows.filter(\.value.isOpen).keys)

    @Test("every other call needs a session")
    func nobody() async throws {
        try await TestService.with { service in
            let routes = service.service.routes
            #expect(Self.open.isSubset(of: routes.map(\.description)))
            for route in routes where !Self.open.contains(route.description) {
                let path = route.path(with: ["list": "\(ListID.random())"], otherwise: "x")
                for token in [nil, "x"] as [String?] {
                    let answer = try await service.call(route.method, path, token: token, body: route.body)
                    #expect(try answer.outcome == "401 notAuthenticated", "\(route)")
                }
            }
        }
    }

    @Test("to a stranger, a list that isn't theirs and one that doesn't exist are the same, byte for byte")
    func stranger() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let stranger = try await service.person("stranger")
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let sent = try await service.upload([.add("secret")], to: list, by: anna)
            let routes = service.service.routes.filter { $0.pattern.contains("{list}") }
            #expect(routes.count >= 16)
            for route in routes {
                for query in ["", "?since=\(sent.token)"] {
                    let answers = try await [list, .random()].map { list in
                        route.path(
                            with: [
                                "list": "\(list)", "account": "\(anna.account)",
                                "invitation": "\(InvitationID.random())",
                            ], otherwise: "x") + query
                    }.asyncMap {
                        try await service.call(
                            route.method, $0, token: stranger.token, body: route.body, headers: ["x-request-id": "same"]
                        )
                    }
                    #expect(try answers[0].outcome == "404 listNotFound", "\(route)")
                    #expect(answers[0].body == answers[1].body && answers[0].status == answers[1].status, "\(route)")
                }
            }
            #expect(try await service.changes(list, for: anna).sequences == [1, 2, 3])
        }
    }

    @Test("a path that names no list is a list that isn't there", arguments: ["x", "%00", "%2F", "00000000"])
    func noList(name: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let answer = try await service.call("GET", "/v1/lists/\(name)/state", token: anna.token)
            #expect(try answer.outcome == "404 listNotFound")
        }
    }

    @Test("a read-only participant reads the list and changes nothing")
    func readOnly() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna, .readOnly)
            let upload = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)]).json
            let answer = try await service.call("POST", Path.entries(list), token: ben.token, body: upload)
            #expect(try answer.outcome == "403 permissionFailure")
            #expect(try await service.changes(list, for: ben).entries.isEmpty)
        }
    }

    @Test("a removed person gets nothing more, and the reason")
    func removed() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let token = try await service.changes(list, for: ben).token
            let path = Path.participant(ben.account, of: list)
            #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            for route in service.service.routes where route.pattern.contains("{list}") {
                let values = [
                    "list": "\(list)", "account": "\(ben.account)", "invitation": "\(InvitationID.random())",
                ]
                let path = route.path(with: values, otherwise: "x")
                // Leaving again in either way isn't an error.
                let isLeaving =
                    route.method == "DELETE" && ["{list}", "{account}"].contains { route.pattern.hasSuffix($0) }
                let answer = try await service.call(route.method, path, token: ben.token, body: route.body)
                if isLeaving {
                    #expect(answer.status == 204, "\(route)")
                } else {
                    #expect(try answer.outcome == "410 listDeleted", "\(route)")
                    #expect(try answer.problem.reason == .removed)
                }
            }
            let all = try await service.allChanges([list: token], for: ben)
            #expect(all.lists.isEmpty && all.gone == [list: .removed])
        }
    }
}

/// A route of the router.
struct Route: CustomStringConvertible {
    let method: String
    /// `/v1/lists/{list}`
    let pattern: String

    var description: String { "\(method) \(pattern)" }

    /// A body that the call can read.
    var body: [UInt8]? {
        PermissionTable.row(of: self)?.row.body.map { body in
            let values = [
                "participant": "\(AccountID.random())", "id": "\(ListID.random())", "email": "x@example.com",
            ]
            return Array(PermissionTable.filled(body, values).utf8)
        }
    }

    func path(with values: [String: String], otherwise value: String) -> String {
        pattern.split(separator: "/").map { part in
            guard part.hasPrefix("{") else { return "/\(part)" }
            return "/" + (values[String(part.dropFirst().dropLast())] ?? value)
        }.joined()
    }
}

extension TrolleyServer.Service {
    /// All routes of the HTTP API. Those of CalDAV have standards of their own, and tests beside them (`CalDAV`).
    var routes: [Route] {
        router().routes.filter { route in
            !["/dav", "/.well-known"].contains { route.path.description.hasPrefix($0) }
        }.map { route in
            let parts = route.path.description.split(separator: "/").map { part in
                part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
            }
            return Route(method: route.method.rawValue, pattern: "/" + parts.joined(separator: "/"))
        }
    }
}

extension [String] {
    func asyncMap<Value>(_ transform: (String) async throws -> Value) async throws -> [Value] {
        var mapped: [Value] = []
        for element in self { mapped.append(try await transform(element)) }
        return mapped
    }
}
