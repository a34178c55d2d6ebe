import NIOCore
import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Slow senders and readers", .timeLimit(.minutes(20)))
struct SlowSenderTests {
    private static let quick = Timeouts(
        head: .milliseconds(300), body: .milliseconds(300), idle: .milliseconds(300), write: .milliseconds(300),
        linger: .milliseconds(300))
    /// For requests that are meant to arrive: on a busy machine 300 ms can pass between a connection and its first words.
    private static let quickAfterHead = Timeouts(
        body: .milliseconds(300), idle: .milliseconds(300), write: .milliseconds(300), linger: .milliseconds(300))

    @Test(
        "a connection that says nothing, half a head, or a request and then nothing, is ended",
        arguments: ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: b\r\n"])
    func heads(start: String) async throws {
        try await TestService.with(configure: { $0.timeouts = Self.quick }) { service in
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                // On a busy machine the service may have ended the connection before this sender got to speak.
                if !start.isEmpty { try? await writer.write(start) }
                return try await reader.readToEnd()
            }
            #expect(said == "")
            try await service.expectEnded(.head)
        }
    }

    @Test("a head that never ends is ended, however steadily it dribbles in")
    func dribble() async throws {
        try await TestService.with(configure: { $0.timeouts = Self.quick }) { service in
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write("GET /healthz HTTP/1.1\r\n")
                // Until the service closes the connection: then writing fails. On a busy machine that takes more lines than a
                // head may have, so it is one line.
                do {
                    try await writer.write("x: ")
                    while true {
                        try await writer.write("y")
                        // Sleeps: the sender is slow.
                        try await Task.sleep(for: .milliseconds(20))
                    }
                } catch {}
            }
            try await service.expectEnded(.head)
        }
    }

    @Test("a body that comes too slowly is ended")
    func bodies() async throws {
        try await TestService.with(configure: { $0.timeouts = Self.quickAfterHead }) { service in
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "POST \(Path.sessions) HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{\"email\":")
                return try await reader.readToEnd()
            }
            #expect(said == "")
            try await service.expectEnded(.body)
        }
    }

    @Test("after an answer the connection may wait for a while, and is then ended")
    func idle() async throws {
        try await TestService.with(configure: { $0.timeouts = Self.quickAfterHead }) { service in
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
                return try await reader.readToEnd()
            }
            #expect(said.hasPrefix("HTTP/1.1 200 "))
            try await service.expectEnded(.idle)
        }
    }

    @Test("an early answer announces that the connection closes, and the rest of the body is not read for ever")
    func earlyAnswer() async throws {
        // The time for reading on is the only one that can end the connection. The time without a request begins at the
        // answer, too, and was sometimes over first when both were as long.
        try await TestService.with(configure: { $0.timeouts = Timeouts(linger: .milliseconds(300)) }) { service in
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "POST \(Path.lists) HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n10000\r\n")
                let said = try await reader.read(until: "\"status\":401")
                #expect(said.hasPrefix("HTTP/1.1 401 ") && said.lowercased().contains("\r\nconnection: close\r\n"))
                do {
                    let chunk = String(repeating: " ", count: 1 << 16) + "\r\n10000\r\n"
                    while true { try await writer.write(chunk) }
                } catch {}
            }
            try await service.expectEnded(.linger)
        }
    }

    @Test("an answer that nobody reads ends, and holds no more than a little meanwhile")
    func slowReader() async throws {
        try await TestService.with(configure: { configuration in
            configuration.timeouts.write = .milliseconds(300)
            configuration.timeouts.minBytesPerSecond = 1 << 30
        }) { service in
            try await RawConnection.with(port: service.port, receiveBuffer: 4096) { _, writer in
                // Far more than the buffers of sockets hold. In one piece: the service may end the connection before another.
                try await writer.write(
                    String(repeating: "GET /openapi.yaml HTTP/1.1\r\nhost: x\r\n\r\n", count: 400))
                try await service.expectEnded(.write)
            }
        }
    }

    @Test("an event stream outlives every time-out")
    func events() async throws {
        // People call another process: a client's connection could end while it sends its next call there.
        try await TestService.withTwo(configureSecond: { $0.timeouts = Self.quickAfterHead }) { patient, service in
            let (anna, ben) = (try await patient.person("anna"), try await patient.person("ben"))
            let list = try await patient.list(of: anna)
            try await patient.add(ben, to: list, of: anna)
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(ben.token)\r\n\r\n")
                _ = try await reader.read(until: "event: sync")
                // Three other clients come and are ended by their time-outs.
                for _ in 0..<3 {
                    _ = try await RawConnection.with(port: service.port) { reader, writer in
                        try await writer.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
                        return try await reader.readToEnd()
                    }
                }
                _ = try await patient.upload([.add("milk")], to: list, by: anna)
                #expect(try await reader.read(until: "event: changed").contains("event: changed"))
            }
        }
    }

    @Test("a head has its limits", arguments: [(1, 40_000), (200, 10), (10, 8000)])
    func largeHead(count: Int, size: Int) async throws {
        try await TestService.with { service in
            let fields = (0..<count).map { "x-\($0): \(String(repeating: "y", count: size))\r\n" }.joined()
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\(fields)\r\n")
                return try await reader.readToEnd()
            }
            #expect(said.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("connections beyond the limit are closed at once, and when one goes another may come")
    func connections() async throws {
        try await TestService.with(configure: { $0.connectionsByAddress = 1 }) { service in
            try await RawConnection.with(port: service.port) { first, writer in
                try await writer.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
                _ = try await first.read(until: "ok")
                let said = try? await RawConnection.with(port: service.port) { second, _ in
                    try await second.readToEnd()
                }
                #expect(said ?? "" == "")
            }
            while try await !service.answers() {}
        }
    }
}

extension TestService {
    /// Waits until the service has counted a connection that it ended for slowness.
    fileprivate func expectEnded(_ reason: TimeoutReason) async throws {
        let line = #"trolley_http_connections_ended_total{reason="\#(reason.rawValue)"}"#
        try await eventually {
            self.service.metrics.registry.text
        } until: {
            $0.contains(line)
        }
    }

    fileprivate func answers() async throws -> Bool {
        let said = try? await RawConnection.with(port: port) { reader, writer in
            try await writer.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            return try await reader.readToEnd()
        }
        return said?.hasPrefix("HTTP/1.1 200 ") ?? false
    }
}
