import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Permissions of every call", .timeLimit(.minutes(20)))
struct PermissionTableTests {
    @Test("every call of the router's has a row, and every row is a call")
    func complete() async throws {
        try await TestService.with { service in
            let routes = service.service.routes
            #expect(routes.filter { PermissionTable.row(of: $0) == nil }.map(\.description) == [], "without a row")
            #expect(PermissionTable.rows.count == routes.count, "a row without a call")
        }
    }

    @Test("each person gets the answer in the table", arguments: PermissionTable.rows.keys.sorted())
    func statuses(call: String) async throws {
        let row = try #require(PermissionTable.rows[call])
        let method = String(call.prefix { $0 != " " })
        let pattern = String(call.dropFirst(method.count + 1))
        try await TestService.with { service in
            let cast = try await Cast(service)
            for caller in Caller.allCases {
                let values = try await cast.values(for: caller, in: pattern)
                func status() async throws -> Int {
                    try await service.status(
                        method, PermissionTable.filled(pattern, values), token: cast.people[caller]?.token,
                        body: row.body.map { PermissionTable.filled($0, values) })
                }
                let expected = row.statuses[caller]
                if pattern == "/readyz" {
                    // On a busy machine the database may take longer than the second that a check waits.
                    try await eventually("it is ready") { try await status() == expected }
                } else {
                    #expect(try await status() == expected, "\(caller.rawValue)")
                }
            }
        }
    }
}

extension TestService {
    /// The status of an answer. Its body may never end.
    fileprivate func status(_ method: String, _ path: String, token: String?, body: String?) async throws -> Int {
        try await RawConnection.with(port: port) { reader, writer in
            let authorization = token.map { "authorization: Bearer \($0)\r\n" } ?? ""
            let body = body ?? ""
            try await writer.write(
                "\(method) \(path) HTTP/1.1\r\nhost: x\r\n\(authorization)content-length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            let line = try await reader.read(until: "\r\n")
            return try #require(Int(line.split(separator: " ").dropFirst().first ?? ""))
        }
    }
}
