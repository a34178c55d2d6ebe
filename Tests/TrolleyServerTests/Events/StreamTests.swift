import NIOCore
import ServiceLifecycle
import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Event streams on their connections", .timeLimit(.minutes(20)))
struct StreamTests {
    @Test("a stream goes with its reader")
    func leaving() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(anna))
                _ = try await reader.read(until: "event: sync")
                #expect(service.service.hub.streams == 1)
            }
            try await service.expectStreams(0)
        }
    }

    @Test("a client that left before the answer has no stream")
    func hasty() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            for _ in 0..<10 {
                try await RawConnection.with(port: service.port) { _, writer in
                    try await writer.write(Self.request(anna))
                }
            }
            // One more request after all of them, whose answer is known.
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(anna))
                _ = try await reader.read(until: "event: sync")
            }
            try await service.expectStreams(0)
        }
    }

    @Test("a connection may send requests before it is a stream; a later request ends it", arguments: [true, false])
    func pipelining(atOnce: Bool) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let health = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
            let said = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(health)
                _ = try await reader.read(until: "ok")
                if atOnce {
                    try await writer.write(Self.request(anna) + health)
                } else {
                    try await writer.write(Self.request(anna))
                    _ = try await reader.read(until: "event: sync")
                    try await writer.write(health)
                }
                return try await reader.readToEnd()
            }
            // The complete answers to the first request and to the request for the stream.
            #expect(said.split(separator: "HTTP/1.1 200 OK").count == 2)
            #expect(said.hasSuffix("\r\n0\r\n\r\n"))
            try await service.expectStreams(0)
        }
    }

    @Test("a stream that nobody reads is ended")
    func slowReader() async throws {
        try await TestService.with(
            connections: 4,
            configure: { configuration in
                configuration.timeouts.write = .milliseconds(300)
                configuration.timeouts.minBytesPerSecond = 1 << 30
            }
        ) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let ended = #"trolley_http_connections_ended_total{reason="write"}"#
            try await RawConnection.with(port: service.port, receiveBuffer: 4096) { reader, writer in
                try await writer.write(Self.request(ben))
                _ = try await reader.read(until: "event: sync")
                #expect(!service.service.metrics.registry.text.contains(ended))
                var head = SequenceNumber(rawValue: 1_000)
                try await eventually(every: .milliseconds(1)) {
                    for _ in 0..<100 {
                        let next = SequenceNumber(rawValue: head.rawValue + 1)
                        service.service.hub.appended(
                            to: list, from: head, to: next, by: .random(), people: [ben.account])
                        head = next
                        await Task.yield()
                    }
                    return service.service.hub.streams
                } until: {
                    $0 == 0
                }
                // Not for another reason: the client hasn't gone.
                #expect(service.service.metrics.registry.text.contains("\(ended) 1"))
            }
        }
    }

    @Test("when the service stops, all streams end, whether they are read or not")
    func stopping() async throws {
        try await TestService.with { service in
            let people = [try await service.person("anna"), try await service.person("ben")]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people {
                    group.addTask {
                        try await RawConnection.with(port: service.port) { reader, writer in
                            try await writer.write(Self.request(person))
                            let said = try await reader.readToEnd()
                            #expect(said.hasSuffix("\r\n0\r\n\r\n"))
                        }
                    }
                }
                try await service.expectStreams(2)
                await service.group.triggerGracefulShutdown()
                try await group.waitForAll()
            }
            try await service.expectStreams(0)
        }
    }

    private static func request(_ person: Person) -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\r\n"
    }
}

extension TestService {
    /// Waits until that many streams are open.
    func expectStreams(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("\(count) open streams", sourceLocation: sourceLocation) {
            service.hub.streams
        } until: {
            $0 == count
        }
    }
}
