import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// A room's id names it only together with its list.
@Suite("Rooms of one id on two lists", .timeLimit(.minutes(20)))
struct RoomAddressTests {
    @Test("people of another list hear nothing, say nothing, and put nobody out by coming first", arguments: [1, 2])
    func apart(processes: Int) async throws {
        try await TestService.withProcesses(processes) { one, other in
            let scene = try await RoomScene(one)
            // Cleo was on the list once, and knows the room's id.
            let cleo = try await one.person("cleo")
            let twin = TestRoom(id: scene.room.id, list: try await one.list(of: cleo))
            #expect(try await one.hail([], to: twin, by: cleo).status == 200)
            try await within {
                try await scene.enter(as: cleo, at: other, twin) { stranger in
                    try await scene.enter(as: scene.anna, at: one) { anna in
                        try await scene.enter(as: scene.ben, at: other) { ben in
                            let member = RoomMember(account: scene.ben.account, device: scene.ben.device)
                            #expect(try await anna.event { $0.isEntered } == .entered(scene.room.address, member))
                            if processes == 2 { _ = try await ben.event { $0.isEntered } }
                            await one.service.rooms.checkPeople()
                            await other.service.rooms.checkPeople()
                            try await stranger.send(.say(scene.room.address, body: "forged"))
                            let refused = try await stranger.event { _ in true }
                            guard case .refused(scene.room.address, .unknownItem, _) = refused else {
                                Issue.record("\(String(describing: refused))")
                                return
                            }
                            try await stranger.send(.say(twin.address, body: "forged"))
                            for number in 1...20 {
                                try await anna.send(.say(scene.room.address, body: "body-\(number)"))
                            }
                            for number in 1...20 {
                                #expect(try await ben.event { $0.saidBody != nil }?.saidBody == "body-\(number)")
                            }
                            try await ben.send(.say(scene.room.address, body: "real"))
                            #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "real")
                            // Whatever was for this socket came before.
                            try await stranger.send(raw: TestSocket.frame(0x9, [7]))
                            let frame = try await stranger.next()
                            #expect(frame == .pong([7]))
                        }
                    }
                }
            }
        }
    }

    @Test("one socket is in both rooms, and each message names its list")
    func bothOnOneSocket() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let twin = TestRoom(id: scene.room.id, list: try await service.list(of: scene.anna))
            #expect(try await service.hail([], to: twin, by: scene.anna).status == 200)
            try await within {
                try await scene.enter(as: scene.ben) { ben in
                    try await TestSocket.with(port: service.port, Path.socket, token: scene.anna.token) { anna in
                        for room in [twin, scene.room] {
                            try await anna.send(.join(room.handshake(of: scene.anna)))
                            let joined = try await anna.event { _ in true }
                            guard case .joined(room.address, _, _) = joined else {
                                Issue.record("\(String(describing: joined))")
                                return
                            }
                        }
                        try await anna.send(.say(twin.address, body: "to-nobody"))
                        try await anna.send(.say(scene.room.address, body: "to-ben"))
                        #expect(try await ben.event { $0.saidBody != nil }?.saidBody == "to-ben")
                        try await anna.send(.leave(twin.address))
                        #expect(try await anna.event { _ in true } == .closed(twin.address, .left))
                        try await ben.send(.say(scene.room.address, body: "to-anna"))
                        #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "to-anna")
                    }
                }
            }
        }
    }

    @Test("a text that was signed for one list opens no room of another list, though id and key are the same")
    func otherList() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            var twin = scene.room
            twin.list = try await service.list(of: scene.ben)
            #expect(try await service.hail([], to: twin, by: scene.ben).status == 200)
            let path = scene.path(scene.ben) { handshake in
                handshake.signature = scene.room.sign(handshake.signedText)
                handshake.list = twin.list
            }
            #expect(try await scene.status(path, as: scene.ben) == 403)
            #expect(try await scene.status(scene.path(scene.ben, twin), as: scene.ben) == 101)
        }
    }

    @Test(
        "a handshake of the version before, without its list, opens no room, and is told so",
        arguments: ["", "version=1&"])
    func versionBefore(name: String) async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            var handshake = scene.room.handshake(of: scene.ben) { $0.version = 1 }
            handshake.signature = scene.room.sign(
                "\(handshake.room)|\(handshake.author)|\(handshake.device)|\(handshake.timestamp)|\(handshake.nonce)")
            let path = "\(Path.roomSocket(handshake.room))?\(handshake.query.replacing("version=1&", with: name))"
            let join = String(decoding: SocketRequest.join(handshake).json, as: UTF8.self)
                .replacing(#""version":1,"#, with: "")
            try await within {
                try await TestSocket.with(port: service.port, path, token: scene.ben.token) { socket in
                    #expect(socket.status == 426 && socket.body.contains("sign version 2"))
                    // It is not the WebSocket's version that is wrong.
                    #expect(socket.headers["sec-websocket-version"] == nil)
                }
                try await TestSocket.with(port: service.port, Path.socket, token: scene.ben.token) { socket in
                    try await socket.send(text: Array(join.utf8))
                    let refused = try await socket.event { _ in true }
                    guard case .refused(scene.room.address, .incompatibleVersion, _) = refused else {
                        Issue.record("\(String(describing: refused))")
                        return
                    }
                }
            }
        }
    }
}

extension RoomScene {
    /// The answer to a request to upgrade.
    func status(_ path: String, as person: Person) async throws -> Int {
        try await within {
            try await TestSocket.with(port: service.port, path, token: person.token) { $0.status }
        }
    }
}
