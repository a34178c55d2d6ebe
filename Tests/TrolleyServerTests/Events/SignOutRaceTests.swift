import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

/// A device comes in while another process signs it out. No signal comes afterwards, and nothing is compared in time.
@Suite("Streams and sockets of a device that is being signed out", .timeLimit(.minutes(20)))
struct SignOutRaceTests {
    @Test("a stream ends at once")
    func stream() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            try await service.signOutElsewhere(anna)
            try await within {
                try await RawConnection.with(port: service.port) { reader, writer in
                    try await writer.write(
                        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n\r\n")
                    let heard = try await reader.read(until: "\r\n0\r\n\r\n")
                    #expect(heard.hasPrefix("HTTP/1.1 200") && heard.hasSuffix("\r\n0\r\n\r\n"), "\(heard)")
                    #expect(!heard.contains("event:"), "\(heard)")
                }
            }
            try await eventually {
                service.service.hub.streams
            } until: {
                $0 == 0
            }
        }
    }

    @Test("a stream is there before the database is asked, so that a later sign-out ends it as well")
    func registeredFirst() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let hub = service.service.hub
            let session = Session(account: anna.account, device: anna.device)
            let beginning = try await service.pool.withTransaction { connection in
                // From here on, questions about the device wait.
                try await connection.execute("LOCK TABLE device IN ACCESS EXCLUSIVE MODE")
                let beginning = Task { try await hub.subscribe(session, lastEventID: nil) }
                try await eventually {
                    hub.streams
                } until: {
                    $0 == 1
                }
                try await connection.execute("UPDATE device SET token_hash = NULL WHERE id = \(anna.device)")
                return beginning
            }
            let stream = try await beginning.value
            defer { hub.unsubscribe(stream) }
            #expect(stream.isEnded)
        }
    }

    @Test("a socket closes at once, and enters no room", arguments: [false, true])
    func socket(ofOneRoom: Bool) async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await service.signOutElsewhere(scene.ben)
            let path = ofOneRoom ? scene.path(scene.ben) : Path.socket
            try await within {
                try await TestSocket.with(port: service.port, path, token: scene.ben.token) { socket in
                    try #require(socket.status == 101, "\(socket.body)")
                    let first = try await socket.next()
                    #expect(first == .close(SocketCloseCode.signedOut))
                }
                try await service.expectSockets(0)
            }
            #expect(service.service.rooms.rooms == 0)
        }
    }
}

extension TestService {
    /// Signs a device out as another process does, while this process still trusts the session. That time is short, so here
    /// it is longer.
    fileprivate func signOutElsewhere(_ person: Person) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.execute("UPDATE device SET token_hash = NULL WHERE id = \(person.device)")
        }
        service.store.sessions.note(
            SessionCache.Generation(epoch: UUIDBits(high: 1, low: 1), ended: 0),
            [Secret(text: person.token).hash: Session(account: person.account, device: person.device)],
            asked: .now + .seconds(600))
    }
}
