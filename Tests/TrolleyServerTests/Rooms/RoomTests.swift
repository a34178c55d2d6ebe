import ServiceLifecycle
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Rooms", .timeLimit(.minutes(20)))
struct RoomTests {
    @Test("what a device says reaches every other socket of the room in order, with its sender, and is stored nowhere")
    func said() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let tablet = try await service.signIn(scene.ben.email)
            try await within {
                try await scene.enter(as: scene.ben) { ben in
                    try await scene.enter(as: tablet) { tablet in
                        try await scene.enter(as: scene.anna) { anna in
                            for number in 1...20 {
                                try await anna.send(.say(scene.room.address, body: "body-\(number)"))
                            }
                            for number in 1...20 {
                                let sender = RoomMember(account: scene.anna.account, device: scene.anna.device)
                                let expected = SocketEvent.said(
                                    scene.room.address, from: sender, body: "body-\(number)")
                                #expect(try await ben.event { $0.saidBody != nil } == expected)
                                #expect(try await tablet.event { $0.saidBody != nil } == expected)
                            }
                            // The sender hears only others.
                            try await ben.send(.say(scene.room.address, body: "answer"))
                            #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "answer")
                        }
                    }
                }
            }
            #expect(try await service.tables(containing: "body-").isEmpty)
            #expect(try await service.tables(containing: "answer").isEmpty)
            // What is stored is found like this.
            #expect(try await service.tables(containing: scene.anna.email).contains("account"))
        }
    }

    @Test("a device learns who is in the room, who comes and who goes")
    func members() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let (anna, ben) = (scene.anna, scene.ben)
            try await within {
                try await scene.enter(as: anna) { socket in
                    try await TestSocket.with(port: service.port, scene.path(ben), token: ben.token) { other in
                        let joined = try await other.event { _ in true }
                        guard case .joined(scene.room.address, let remaining, let others) = joined else {
                            Issue.record("\(String(describing: joined))")
                            return
                        }
                        #expect(others == [RoomMember(account: anna.account, device: anna.device)])
                        #expect((3_500_000...3_600_000).contains(remaining))
                        #expect(
                            try await socket.event { $0.isEntered }
                                == .entered(scene.room.address, RoomMember(account: ben.account, device: ben.device)))
                        try await other.send(.leave(scene.room.address))
                        #expect(try await other.event { _ in true } == .closed(scene.room.address, .left))
                        let closeCode = try await other.closeCode()
                        #expect(closeCode == 1000)
                    }
                    #expect(try await socket.event { !$0.isEntered } == .left(scene.room.address, ben.device))
                }
                try await service.expectSockets(0)
            }
        }
    }

    @Test("a socket of one room that joins it again is told who is there, and stays")
    func joinedAgain() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await anna.send(.join(scene.room.handshake(of: scene.anna)))
                    guard case .joined(scene.room.address, _, let others)? = try await anna.event(where: { _ in true })
                    else {
                        Issue.record("the socket was not told")
                        return
                    }
                    #expect(others.isEmpty)
                    try await anna.send(raw: TestSocket.frame(0x9, [5]))
                    let frame = try await anna.next()
                    #expect(frame == .pong([5]))
                }
            }
        }
    }

    @Test("a hail is readable and deletable by its addressee only")
    func hails() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let tablet = try await service.signIn(scene.ben.email)
            // Only devices that have the list open and enter rooms are hailed.
            let presence = try await service.open(scene.list, by: scene.ben)
            #expect(presence.devices?.map(\.device) == [scene.ben.device] && presence.now != nil)
            let answer = try await service.hail([scene.ben.device, tablet.device], to: scene.room, by: scene.anna)
            let response: HailsResponse = try answer.decode()
            #expect(response.hailed == [scene.ben.device] && response.room == scene.room.id)
            let hail = try #require(try await service.hails(on: scene.list, to: scene.ben).first)
            #expect(hail.room == scene.room.id && hail.author == scene.anna.account && hail.device == scene.anna.device)
            #expect(hail.sealed == Base64URL.encode(Array("sealed".utf8)) && hail.expiresAt > hail.createdAt)
            #expect(try await service.hails(on: scene.list, to: tablet).isEmpty)
            #expect(try await service.hails(on: scene.list, to: scene.anna).isEmpty)
            let path = Path.hail(hail.id, on: scene.list)
            #expect(try await service.outcome("DELETE", path, token: scene.anna.token) == "404 unknownItem")
            #expect(try await service.outcome("DELETE", path, token: tablet.token) == "404 unknownItem")
            #expect(try await service.outcome("DELETE", path, token: scene.ben.token) == "204")
            #expect(try await service.hails(on: scene.list, to: scene.ben).isEmpty)
        }
    }

    @Test("a hail is announced at once, on an event stream and on a socket")
    func announced() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await service.open(scene.list, by: scene.ben)
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: scene.ben.token) { socket in
                    try await socket.send(.hints(lastEventID: nil))
                    _ = try await socket.event { if case .hint("sync", _, _, _) = $0 { true } else { false } }
                    _ = try await service.hail([scene.ben.device], to: scene.room, by: scene.anna)
                    let hint = try await socket.event { if case .hint("hail", _, _, _) = $0 { true } else { false } }
                    guard case .hint(_, let list, _, _) = hint else {
                        Issue.record("no hint")
                        return
                    }
                    #expect(list == scene.list)
                }
            }
        }
    }

    @Test("one socket carries hints and several rooms")
    func oneSocket() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let second = TestRoom(list: try await service.list(of: scene.anna))
            #expect(try await service.hail([], to: second, by: scene.anna).status == 200)
            try await within {
                try await scene.enter(as: scene.ben) { ben in
                    try await TestSocket.with(port: service.port, Path.socket, token: scene.anna.token) { socket in
                        try #require(socket.status == 101)
                        try await socket.send(.join(scene.room.handshake(of: scene.anna)))
                        _ = try await socket.event {
                            if case .joined(scene.room.address, _, _) = $0 { true } else { false }
                        }
                        try await socket.send(.join(second.handshake(of: scene.anna)))
                        _ = try await socket.event {
                            if case .joined(second.address, _, _) = $0 { true } else { false }
                        }
                        try await socket.send(.hints(lastEventID: nil))
                        _ = try await socket.event { if case .hint("sync", _, _, _) = $0 { true } else { false } }
                        try await ben.send(.say(scene.room.address, body: "hello"))
                        let said = try await socket.event { $0.saidBody != nil }
                        #expect(said?.saidBody == "hello")
                        _ = try await service.upload([.add("milk", 1)], to: scene.list, by: scene.ben)
                        let hint = try await socket.event {
                            if case .hint("changed", _, _, _) = $0 { true } else { false }
                        }
                        guard case .hint(_, let list, let sequence, _) = hint else {
                            Issue.record("no hint")
                            return
                        }
                        #expect(list == scene.list && sequence != nil)
                        // Leaving one room leaves the socket open.
                        try await socket.send(.leave(scene.room.address))
                        #expect(
                            try await socket.event { if case .closed = $0 { true } else { false } }
                                == .closed(scene.room.address, .left))
                        try await socket.send(.say(second.address, body: "still-here"))
                        try await socket.send(raw: TestSocket.frame(0x9, [1, 2, 3]))
                        let frame = try await socket.next()
                        #expect(frame == .pong([1, 2, 3]))
                    }
                }
            }
        }
    }

    @Test("what a client asks while its last question waits for the database is answered in order, up to a bound")
    func waitsInOrder() async throws {
        try await TestService.with(configure: { $0.rooms.roomsPerSocket = 2 }) { service in
            let scene = try await RoomScene(service)
            let second = TestRoom(list: scene.list)
            #expect(try await service.hail([], to: second, by: scene.anna).status == 200)
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: scene.anna.token) { socket in
                    try #require(socket.status == 101)
                    try await service.pool.withTransaction { connection in
                        try await connection.execute("LOCK TABLE member, list IN ACCESS EXCLUSIVE MODE")
                        try await socket.send(.hints(lastEventID: nil))
                        try await socket.send(.join(scene.room.handshake(of: scene.anna)))
                        try await socket.send(.join(second.handshake(of: scene.anna)))
                        try await socket.send(.hints(lastEventID: nil))
                        // The one that is too many is told at once.
                        let refused = try await socket.event { _ in true }
                        guard case .refused(nil, .requestRateLimited, _) = refused else {
                            Issue.record("\(String(describing: refused))")
                            return
                        }
                    }
                    let hint = try await socket.event { _ in true }
                    guard case .hint("sync", _, _, _) = hint else {
                        Issue.record("\(String(describing: hint))")
                        return
                    }
                    for room in [scene.room.address, second.address] {
                        let joined = try await socket.event { _ in true }
                        guard case .joined(room, _, _) = joined else {
                            Issue.record("\(String(describing: joined))")
                            return
                        }
                    }
                    // Nothing waits any more.
                    try await socket.send(.hints(lastEventID: nil))
                    _ = try await socket.event { if case .hint("sync", _, _, _) = $0 { true } else { false } }
                }
            }
        }
    }

    @Test(
        "a removed participant is out, though the service asks only once an hour, and hears no more",
        arguments: [false, true])
    func removed(bySigningOut: Bool) async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: scene.ben) { ben in
                        if bySigningOut {
                            try await service.call("DELETE", Path.session, token: scene.ben.token)
                            let closeCode = try await ben.closeCode()
                            #expect(closeCode == SocketCloseCode.signedOut)
                        } else {
                            let path = Path.participant(scene.ben.account, of: scene.list)
                            try await service.call("DELETE", path, token: scene.anna.token)
                            #expect(try await ben.event { _ in true } == .closed(scene.room.address, .removed))
                            let closeCode = try await ben.closeCode()
                            #expect(closeCode == SocketCloseCode.removed)
                        }
                        _ = try await anna.event { $0 == .left(scene.room.address, scene.ben.device) }
                    }
                    guard !bySigningOut else { return }
                    let again = try await TestSocket.with(
                        port: service.port, scene.path(scene.ben), token: scene.ben.token
                    ) { $0.status }
                    #expect(again == 404)
                }
            }
        }
    }

    @Test("a room ends with its time, and nobody enters it any more")
    func expired() async throws {
        // Enough for a busy machine to enter it.
        try await TestService.with(configure: { $0.rooms.roomLifetime = 10_000 }) { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { socket in
                    #expect(try await socket.event { _ in true } == .closed(scene.room.address, .expired))
                    let closeCode = try await socket.closeCode()
                    #expect(closeCode == SocketCloseCode.expired)
                }
                let late = try await TestSocket.with(
                    port: service.port, scene.path(scene.anna), token: scene.anna.token
                ) { ($0.status, $0.body) }
                #expect(late.0 == 404 && late.1.contains("unknownItem"))
            }
        }
    }

    @Test("people are compared with the database though nothing seems to change, and stay in their room")
    func checked() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    service.forgetChecks(for: .seconds(11))
                    try await eventually("the people are compared") { !service.isUnchecked(for: .seconds(11)) }
                    try await anna.send(raw: TestSocket.frame(0x9, [5]))
                    let frame = try await anna.next()
                    #expect(frame == .pong([5]))
                }
            }
        }
    }

    @Test("a room ends with 1013 when the database can't say for half a minute who is on the list")
    func unchecked() async throws {
        try await TestService.with(configure: { $0.roomUncheckedLimit = .seconds(30) }) { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    let forgetting = Task {
                        while true {
                            service.forgetChecks(for: .seconds(31))
                            // Sleeps: the fault goes on, because a check that began before it may end only now.
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                    defer { forgetting.cancel() }
                    #expect(try await anna.event { _ in true } == .closed(scene.room.address, .unavailable))
                    let closeCode = try await anna.closeCode()
                    #expect(closeCode == 1013)
                }
            }
        }
    }

    @Test("a socket is closed with 'going away' when the service stops")
    func stopping() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { socket in
                    await service.group.triggerGracefulShutdown()
                    let closeCode = try await socket.closeCode()
                    #expect(closeCode == 1001)
                }
            }
        }
    }

    @Test("any request of a connection may upgrade, also after another one")
    func laterRequest() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            try await within {
                try await RawConnection.with(port: service.port) { reader, writer in
                    try await writer.write("GET /v1/config HTTP/1.1\r\nhost: x\r\n\r\n")
                    _ = try await reader.read(until: "\"version\"")
                    try await writer.write(TestSocket.request(Path.socket, token: anna.token))
                    let said = try await reader.read(until: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")
                    #expect(said.contains("HTTP/1.1 101 Switching Protocols"))
                }
            }
        }
    }
}

extension TestService {
    /// The tables of the database in which a row has this text.
    fileprivate func tables(containing text: String) async throws -> [String] {
        try await pool.withConnection { connection in
            let names = try await connection.execute(
                "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            ).map { try $0.decode(String.self, at: 0) }
            var found: [String] = []
            for name in names {
                let search = "SELECT FROM \"\(name)\" AS stored WHERE stored::text LIKE '%\(text)%' LIMIT 1"
                if try await !connection.execute(Query(unescaped: search)).isEmpty { found.append(name) }
            }
            return found
        }
    }
}
