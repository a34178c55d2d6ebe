import NIOCore
import NIOPosix
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// Frames that end their socket, while everybody else goes on.
@Suite("Bad frames", .timeLimit(.minutes(20)))
struct BadFrameTests {
    private typealias Frame = TestSocket

    /// Frames, and the code with which the service closes.
    private static let bad: [(name: String, frames: [[UInt8]], code: UInt16)] = [
        ("not masked", [Frame.frame(0x1, Array("{}".utf8), isMasked: false)], 1002),
        ("the first reserved bit", [Frame.frame(0x1, Array("{}".utf8), first: 0xC0)], 1002),
        ("the second reserved bit", [Frame.frame(0x1, Array("{}".utf8), first: 0xA0)], 1002),
        ("the third reserved bit", [Frame.frame(0x1, Array("{}".utf8), first: 0x90)], 1002),
        ("a reserved data opcode", [Frame.frame(0x3, [])], 1002),
        ("a reserved control opcode", [Frame.frame(0xB, [])], 1002),
        ("a continuation of nothing", [Frame.frame(0x0, [1])], 1002),
        ("a new message within a message", [Frame.frame(0x1, [65], first: 0), Frame.frame(0x1, [65])], 1002),
        ("a ping in fragments", [Frame.frame(0x9, [], first: 0)], 1002),
        ("a ping of 126 bytes", [Frame.frame(0x9, [UInt8](repeating: 65, count: 126))], 1002),
        ("a close of one byte", [Frame.frame(0x8, [3])], 1002),
        ("a close with a code that may not be sent", [Frame.frame(0x8, [0x03, 0xED])], 1002),
        ("a close whose reason is not UTF-8", [Frame.frame(0x8, [0x03, 0xE8, 0xFF])], 1007),
        ("a length in more bytes than it needs", [[0x81, 0xFE, 0, 2, 0, 0, 0, 0, 65, 65]], 1002),
        ("a long length in more bytes than it needs", [[0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 2]], 1002),
        ("a length with its highest bit", [[0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0]], 1002),
        ("text that is not UTF-8 in a frame that goes on", [[0x81, 0xB2, 0, 0, 0, 0, 0xC3, 0x28]], 1007),
        ("text that is not UTF-8 in a message that goes on", [Frame.frame(0x1, [0xC3, 0x28], first: 0)], 1007),
        ("binary data", [Frame.frame(0x2, [1, 2, 3])], 1003),
        ("text that is not UTF-8", [Frame.frame(0x1, [0xC3, 0x28])], 1007),
        (
            "text that is not UTF-8 across fragments",
            [Frame.frame(0x1, [0x22, 0xE2], first: 0), Frame.frame(0x0, [0x28, 0xA1])], 1007
        ),
        ("a frame of 8 KiB and one byte", [Frame.frame(0x1, [UInt8](repeating: 65, count: 8193))], 1009),
        ("a frame that states a terabyte", [Frame.frame(0x1, [], length: 1 << 40)], 1009),
        ("a frame that states more than there is", [Frame.frame(0x1, [], length: .max)], 1009),
        (
            "fragments of more than 8 KiB together",
            [Frame.frame(0x1, [UInt8](repeating: 65, count: 5000), first: 0)]
                + [Frame.frame(0x0, [UInt8](repeating: 65, count: 5000))], 1009
        ),
    ]

    @Test("each is refused with its close code, and the others in the room go on", arguments: 0..<bad.count)
    func refused(index: Int) async throws {
        let (name, frames, code) = Self.bad[index]
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let tablet = try await service.signIn(scene.ben.email)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: tablet) { tablet in
                        try await scene.enter(as: scene.ben) { ben in
                            for frame in frames { try await ben.send(raw: frame) }
                            let closeCode = try await ben.closeCode()
                            #expect(closeCode == code, "\(name)")
                        }
                        try await anna.send(.say(scene.room.address, body: "undisturbed"))
                        #expect(try await tablet.event { $0.saidBody != nil }?.saidBody == "undisturbed")
                    }
                }
            }
        }
    }

    @Test("a message in fragments, with a ping between them, is one message")
    func fragments() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let message = SocketRequest.say(scene.room.address, body: "in-pieces").json
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: scene.ben) { ben in
                        try await ben.send(raw: Frame.frame(0x1, Array(message.prefix(5)), first: 0))
                        try await ben.send(raw: Frame.frame(0x9, [9]))
                        let frame = try await ben.next()
                        #expect(frame == .pong([9]))
                        // Byte by byte: no frame needs to arrive whole.
                        let rest = Frame.frame(0x0, [], first: 0) + Frame.frame(0x0, Array(message.dropFirst(5)))
                        for byte in rest { try await ben.send(raw: [byte]) }
                        #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "in-pieces")
                        try await ben.send(raw: Frame.frame(0x8, [0x03, 0xE8]))
                        let closeCode = try await ben.closeCode()
                        #expect(closeCode == 1000)
                    }
                }
            }
        }
    }

    @Test("a message that is no request is refused, and the socket goes on")
    func badMessages() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let tooLong = String(repeating: "A", count: 4097)
            let messages: [(String, ProblemCode)] = [
                ("", .invalidArguments), ("[]", .invalidArguments), ("{}", .invalidArguments),
                (#"{"type":"dance"}"#, .invalidArguments), (#"{"type":"say"}"#, .invalidArguments),
                (#"{"type":"say","room":"\#(scene.room.id)","list":"\#(scene.list)","body":""}"#, .invalidArguments),
                (
                    #"{"type":"say","room":"\#(scene.room.id)","list":"\#(scene.list)","body":"not base64url"}"#,
                    .invalidArguments
                ),
                (
                    #"{"type":"say","room":"\#(scene.room.id)","list":"\#(scene.list)","body":"\#(tooLong)"}"#,
                    .limitExceeded
                ),
                (#"{"type":"say","room":"\#(RoomID.random())","list":"\#(scene.list)","body":"AAAA"}"#, .unknownItem),
                (#"{"type":"leave","room":"\#(RoomID.random())","list":"\#(scene.list)"}"#, .unknownItem),
            ]
            try await within {
                try await scene.enter(as: scene.ben) { ben in
                    for (message, expected) in messages {
                        try await ben.send(text: Array(message.utf8))
                        guard case .refused(_, let code, _) = try await ben.event(where: { _ in true }) else {
                            Issue.record("\(message) was not refused")
                            return
                        }
                        #expect(code == expected, "\(message)")
                    }
                    var forged = scene.room.handshake(of: scene.anna)
                    try await ben.send(.join(forged))
                    let crossed = try await ben.event { _ in true }
                    #expect(crossed.map(Self.code) == .permissionFailure)
                    forged = scene.room.handshake(of: scene.ben) { $0.timestamp -= 60_000 }
                    try await ben.send(.join(forged))
                    #expect(try await ben.event { _ in true }.map(Self.code) == .permissionFailure)
                }
            }
        }
    }

    private static func code(_ event: SocketEvent) -> ProblemCode? {
        if case .refused(_, let code, _) = event { code } else { nil }
    }

    @Test("ten thousand frames a second end their socket, and the others hear each other meanwhile")
    func flood() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let tablet = try await service.signIn(scene.ben.email)
            let frame = Frame.frame(0x1, SocketRequest.say(scene.room.address, body: "flood").json)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: tablet) { tablet in
                        let began = ContinuousClock.now
                        try await scene.enter(as: scene.ben) { ben in
                            for _ in 0..<100 {
                                do {
                                    try await ben.send(raw: Array(repeatElement(frame, count: 100).joined()))
                                } catch {
                                    // The service has closed.
                                    break
                                }
                            }
                            let closeCode = try await ben.closeCode()
                            #expect(closeCode == SocketCloseCode.tooManyMessages)
                        }
                        try await anna.send(.say(scene.room.address, body: "undisturbed"))
                        var heard = 0
                        _ = try await tablet.event { event in
                            if event.saidBody == "flood" { heard += 1 }
                            return event.saidBody == "undisturbed"
                        }
                        // Two seconds' worth, and what the time since then allows.
                        let seconds = (ContinuousClock.now - began) / .seconds(1)
                        #expect(Double(heard) <= 101 + 50 * seconds, "\(heard)")
                    }
                }
            }
        }
    }

    @Test("a device that is over its rate has no more frames on its next socket")
    func reconnected() async throws {
        try await TestService.with(configure: { $0.rooms.messagesPerSecond = 1 }) { service in
            let anna = try await service.person("anna")
            let pings = Array(repeatElement(Frame.frame(0x9, [1]), count: 20).joined())
            let began = ContinuousClock.now
            var answered = 0
            for _ in 0..<3 {
                answered += try await within {
                    try await TestSocket.with(port: service.port, Path.socket, token: anna.token) { socket in
                        try await socket.send(raw: pings)
                        var pongs = 0
                        while true {
                            switch try await socket.next() {
                            case .pong: pongs += 1
                            case .close(let code):
                                #expect(code == SocketCloseCode.tooManyMessages)
                                return pongs
                            case .end: return pongs
                            default: break
                            }
                        }
                    }
                }
            }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            #expect(Double(answered) <= 3 + seconds, "\(answered)")
        }
    }

    @Test("beyond a room's rate what is said is refused, and the socket goes on")
    func roomRate() async throws {
        try await TestService.with(configure: { $0.rooms.messagesPerSecondByRoom = 1 }) { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.ben) { ben in
                    let say = Frame.frame(0x1, SocketRequest.say(scene.room.address, body: "AAAA").json)
                    try await ben.send(raw: Array(repeatElement(say, count: 40).joined()))
                    let refused = try await ben.event { _ in true }
                    guard case .refused(scene.room.address, .requestRateLimited, _) = refused else {
                        Issue.record("\(String(describing: refused))")
                        return
                    }
                }
            }
        }
    }

    @Test("a client that closes only its own side, in the middle of a frame, is gone")
    func halfClosed() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: scene.ben) { ben in
                        try await ben.send(raw: [0x81, 0xFE, 0x10])
                        ben.finish()
                        let closeCode = try await ben.closeCode()
                        #expect(closeCode == nil)
                    }
                    _ = try await anna.event { $0 == .left(scene.room.address, scene.ben.device) }
                }
                try await service.expectSockets(0)
            }
        }
    }

    @Test("a client that answers no ping is gone")
    func silent() async throws {
        // A busy machine may be late for one ping, not for three. The time begins with the socket, so it does nothing before.
        try await TestService.with(configure: { $0.socketPingInterval = .seconds(3) }) { service in
            let anna = try await service.person("anna")
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: anna.token) { socket in
                    try #require(socket.status == 101)
                    let frame = try await socket.next()
                    #expect(frame == .ping([]))
                    let closeCode = try await socket.closeCode()
                    #expect(closeCode == nil)
                }
                try await service.expectSockets(0)
            }
        }
    }

    @Test("a client that only answers pings stays")
    func answersPings() async throws {
        // An answer may take two of these, also on a machine that is busy with other tests.
        try await TestService.with(configure: { $0.socketPingInterval = .seconds(5) }) { service in
            let anna = try await service.person("anna")
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: anna.token) { socket in
                    try #require(socket.status == 101)
                    // A client that answered none would be gone after the third.
                    for _ in 0..<5 {
                        let frame = try await socket.next()
                        try #require(frame == .ping([]))
                        try await socket.send(raw: Frame.frame(0xA, []))
                    }
                }
            }
        }
    }

    @Test("a client that sends and never reads is read no more, and is gone")
    func neverReads() async throws {
        try await TestService.with(configure: { configuration in
            configuration.socketPingInterval = .seconds(3)
            configuration.rooms.messagesPerSecond = 1_000_000
            configuration.rooms.messagesPerSecondByAccount = 1_000_000
        }) { service in
            let anna = try await service.person("anna")
            let pings = Array(
                repeatElement(Frame.frame(0x9, [UInt8](repeating: 65, count: 125)), count: 500).joined())
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: anna.token) { socket in
                    try #require(socket.status == 101)
                    // Some 100 MiB of pongs: far more than buffers on the way take.
                    for _ in 0..<1600 {
                        do { try await socket.send(raw: pings) } catch {
                            // The service has closed.
                            return
                        }
                    }
                    Issue.record("the service read it all")
                }
                try await service.expectSockets(0)
            }
        }
    }

    @Test("1,000 half-open sockets end, and a room goes on beside them")
    func halfOpen() async throws {
        try await TestService.with(configure: { configuration in
            // Whole requests are meant to arrive in time, also on a busy machine.
            configuration.timeouts.head = .seconds(10)
            configuration.connectionsByAddress = 3000
        }) { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: scene.ben) { ben in
                        let channels = try await Self.halfOpen(1000, at: service)
                        try await ben.send(.say(scene.room.address, body: "undisturbed"))
                        #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "undisturbed")
                        for channel in channels { try await channel.closeFuture.get() }
                        try await ben.send(.say(scene.room.address, body: "still"))
                        #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "still")
                    }
                }
            }
        }
    }

    /// Connections with half of a request to upgrade each.
    private static func halfOpen(_ count: Int, at service: TestService) async throws -> [any Channel] {
        try await withThrowingTaskGroup(of: (any Channel).self) { group in
            for _ in 0..<count {
                group.addTask {
                    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                        .connect(host: "127.0.0.1", port: service.port).get()
                    let half = TestSocket.request(Path.socket, token: nil).dropLast(4)
                    // The service may have ended it already.
                    try? await channel.writeAndFlush(ByteBuffer(string: String(half)))
                    return channel
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
