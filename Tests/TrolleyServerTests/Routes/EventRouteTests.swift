import ServiceLifecycle
import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Events over HTTP", .timeLimit(.minutes(20)))
struct EventRouteTests {
    @Test("a device is notified of other devices' changes, not of its own, and of a list that it leaves")
    func hints() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(ben))
                _ = try await reader.read(until: "event: sync")
                _ = try await service.upload([.add("my own")], to: list, by: ben)
                _ = try await service.upload([.add("hers", 1)], to: list, by: anna)
                let hint = #"data: {"list":"\#(list)","sequence":4}"#
                let heard = try await reader.read(until: hint)
                #expect(heard.contains(hint))
                #expect(!heard.contains(#""sequence":3}"#), "its own change")
                #expect(!heard.contains("hers"), "what changed")
                try await service.call("DELETE", Path.participant(ben.account, of: list), token: anna.token)
                let gone = try await reader.read(until: "event: gone")
                #expect(gone.contains("event: gone"))
            }
        }
    }

    @Test("a client that reconnects with the last event's id has missed nothing, or must sync")
    func resuming() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let first = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(ben))
                return try await reader.read(until: "data: {}")
            }
            let id = try #require(first.firstMatch(of: /id: (\S+)/)?.output.1)
            let last = "last-event-id: \(id)\r\n"
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(ben, last))
                _ = try await reader.read(until: "text/event-stream")
                _ = try await service.upload([.add("milk")], to: list, by: anna)
                let heard = try await reader.read(until: "event: changed")
                #expect(!heard.contains("event: sync"))
            }
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(ben, last))
                let heard = try await reader.read(until: "event: sync")
                #expect(heard.contains("event: sync"))
            }
        }
    }

    @Test("a stream ends when its device is signed out, and holds nothing up when the service stops")
    func ending() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(anna))
                _ = try await reader.read(until: "event: sync")
                try await service.call("DELETE", Path.session, token: anna.token)
                // The last chunk of a chunked body.
                let heard = try await reader.read(until: "\r\n0\r\n\r\n")
                #expect(heard.hasSuffix("0\r\n\r\n"))
            }
            let ben = try await service.person("ben")
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.request(ben))
                _ = try await reader.read(until: "event: sync")
                await service.group.triggerGracefulShutdown()
                let heard = try await reader.read(until: "\r\n0\r\n\r\n")
                #expect(heard.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    private static func request(_ person: Person, _ header: String = "") -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\(header)\r\n"
    }
}
