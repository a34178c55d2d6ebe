import Logging
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Bodies", .timeLimit(.minutes(20)))
struct BodyTests {
    @Test("a body is limited by its route, whether its length is announced or not")
    func routes() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            for (path, most) in [
                (Path.accounts, 16 << 10), (Path.sessions, 16 << 10), (Path.lists, 64 << 10),
                (Path.invitations(list), 16 << 10), (Path.changes, 1 << 20), (Path.entries(list), 2 << 20),
            ] {
                let head = "POST \(path) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                // Of the first request, only the head is sent.
                let announced = try await service.say(head + "content-length: \(most + 1)\r\n\r\n", until: "limits")
                #expect(announced.hasPrefix("HTTP/1.1 413 ") && announced.contains("\(most) bytes"), "\(path)")
                let chunk = String(most + 1, radix: 16) + "\r\n" + String(repeating: " ", count: most + 1) + "\r\n"
                let chunked = try await service.say(
                    head + "transfer-encoding: chunked\r\n\r\n" + chunk, until: "limits")
                #expect(chunked.hasPrefix("HTTP/1.1 413 "), "\(path)")
                let fitting = try await service.call(
                    "POST", path, token: anna.token, body: Array(repeating: UInt8(ascii: " "), count: most))
                #expect(try fitting.outcome == "400 invalidArguments", "\(path)")
            }
        }
    }

    @Test("a body that the process has no room for is refused with the time to come back, and room comes back")
    func budget() async throws {
        // An address without an account has 16 KiB.
        try await TestService.with(configure: { $0.bodyBytes = 64 << 10 }) { service in
            let anna = try await service.person("anna")
            let form = #"{"email":"x","password":"\#(String(repeating: "x", count: 12_000))"}"#
            try await RawConnection.with(port: service.port) { _, writer in
                try await writer.write(
                    "POST \(Path.sessions) HTTP/1.1\r\nhost: x\r\ncontent-length: 16000\r\n\r\n"
                        + String(repeating: " ", count: 12_000))
                while service.service.bodies.used < 12_000 { await Task.yield() }
                let refused = try await service.call("POST", Path.sessions, json: form).problem
                #expect(refused.code == .serviceUnavailable && refused.retryAfter == 1)
                // A signed-in account has its own share.
                _ = try await service.list(of: anna)
            }
            while service.service.bodies.used > 0 { await Task.yield() }
            #expect(try await service.call("POST", Path.sessions, json: form).outcome == "401 notAuthenticated")
        }
    }

    @Test("an account whose uploads don't end shuts nobody else out")
    func share() async throws {
        try await TestService.with(configure: { $0.bodyBytes = 256 << 10 }) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (annas, bens) = (try await service.list(of: anna), try await service.list(of: ben))
            try await RawConnection.with(port: service.port) { _, writer in
                try await writer.write(
                    "POST \(Path.entries(annas)) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                        + "content-length: 64000\r\n\r\n" + String(repeating: " ", count: 63_000))
                while service.service.bodies.used < 63_000 { await Task.yield() }
                let body = UploadRequest(entries: [
                    UploadEntry(entry: .add(String(repeating: "x", count: 3000)), age: 0)
                ])
                let refused = try await service.call(
                    "POST", Path.entries(annas), token: anna.token, body: body.json)
                #expect(try refused.outcome == "503 serviceUnavailable")
                #expect(try await service.upload([.add("milk")], to: bens, by: ben).results.count == 1)
            }
        }
    }

    @Test(
        "a body that is not framed as HTTP says is the client's fault",
        arguments: [
            "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            "transfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
            "transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n",
            "transfer-encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n",
            "transfer-encoding: gzip\r\n\r\n{}",
            "transfer-encoding: gzip, chunked, gzip\r\n\r\n{}",
        ])
    func framing(rest: String) async throws {
        let lines = Lines()
        try await TestService.with(log: lines.logger(.info)) { service in
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write("POST \(Path.sessions) HTTP/1.1\r\nhost: x\r\n" + rest)
                return try await reader.readToEnd()
            }
            #expect(said.hasPrefix("HTTP/1.1 400 "), "\(said)")
            #expect(!lines.text.contains("error "), "\(lines.text)")
        }
    }

    @Test("a GET request has no body", arguments: ["content-length: 5", "transfer-encoding: chunked"])
    func asking(framing: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let head = "GET \(Path.lists) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
            let said = try await service.say("\(head)\(framing)\r\n\r\n", until: "requestID")
            #expect(said.hasPrefix("HTTP/1.1 400 "))
            let empty = try await service.say("\(head)content-length: 0\r\n\r\n", until: "lists")
            #expect(empty.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("a client that expects 100-continue gets it once its request is accepted")
    func expectation() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let body = #"{"id":"\#(ListID.random())"}"#
            let head =
                "POST \(Path.lists) HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: \(body.count)\r\n"
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(head + "authorization: Bearer \(anna.token)\r\n\r\n")
                #expect(try await reader.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue\r\n"))
                try await writer.write(body)
                return try await reader.read(until: "\"owner\"")
            }
            #expect(said.contains("HTTP/1.1 201 "))
            // A client whose body isn't wanted gets that answer instead. The service would read its body as another
            // request.
            let refused = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(head + "\r\n")
                return try await reader.read(until: "requestID")
            }
            #expect(refused.hasPrefix("HTTP/1.1 401 ") && refused.lowercased().contains("connection: close"))
        }
    }

    @Test("a client that goes away in the middle of a body is no fault of the service's, and nothing is done")
    func cutOff() async throws {
        let lines = Lines()
        try await TestService.with(log: lines.logger(.debug)) { service in
            let anna = try await service.person("anna")
            let list = ListID.random()
            // The part that arrives would be valid by itself.
            let body = #"{"id":"\#(list)"}"#
            for rest in ["content-length: 100\r\n\r\n\(body)", "transfer-encoding: chunked\r\n\r\n64\r\n\(body)"] {
                try await RawConnection.with(port: service.port) { _, writer in
                    try await writer.write(
                        "POST \(Path.lists) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n" + rest)
                    while service.service.bodies.used == 0 { await Task.yield() }
                }
                while service.service.bodies.used > 0 { await Task.yield() }
            }
            let cutOff = #"trolley_http_requests_total{method="POST",route="/v1/lists",status="400"} 2"#
            try await eventually {
                service.service.metrics.registry.text
            } until: {
                $0.contains(cutOff)
            }
            #expect(try await service.call("GET", Path.lists, token: anna.token).text.contains("[]"))
            #expect(!lines.text.contains("error request failed"), "\(lines.text)")
        }
    }
}

extension TestService {
    /// The service's answer, up to and including `text`.
    fileprivate func say(_ request: String, until text: String) async throws -> String {
        try await RawConnection.with(port: port) { reader, writer in
            try await writer.write(request)
            return try await reader.read(until: text)
        }
    }
}
