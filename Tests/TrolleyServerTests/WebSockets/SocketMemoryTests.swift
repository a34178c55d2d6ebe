import NIOCore
import NIOEmbedded
import NIOWebSocket
import Synchronization
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

/// What a socket keeps of what others send, without a network.
@Suite("A socket's memory", .timeLimit(.minutes(20)))
struct SocketMemoryTests {
    private final class Received: Sendable {
        let messages = Mutex(0)
        let dropped = Mutex(0)
        let isClosed = Mutex(false)
    }

    /// A channel with a socket, whose messages are counted.
    private func channel() throws -> (EmbeddedChannel, Socket, Received) {
        let (channel, received) = (EmbeddedChannel(), Received())
        let socket = Socket(
            Session(account: .random(), device: .random()), address: nil, isForOneRoom: true, limits: RoomLimits(),
            frames: FrameBudget(RoomLimits()), on: channel
        ) { _, event in
            switch event {
            case .opened: break
            case .message: received.messages.withLock { $0 += 1 }
            case .dropped: received.dropped.withLock { $0 += 1 }
            case .closed: received.isClosed.withLock { $0 = true }
            }
        }
        let handler = SocketHandler(socket)
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try handler.begin()
        return (channel, socket, received)
    }

    private func sent(by channel: EmbeddedChannel) throws -> [WebSocketFrame] {
        channel.embeddedEventLoop.run()
        var frames: [WebSocketFrame] = []
        while let frame = try channel.readOutbound(as: WebSocketFrame.self) { frames.append(frame) }
        return frames
    }

    @Test("of ten thousand frames at once a hundred are passed on; of the rest nothing is kept, and the socket closes")
    func flood() throws {
        let (channel, _, received) = try channel()
        let body = ByteBuffer(string: #"{"type":"say"}"#)
        for _ in 0..<10_000 {
            let part = FramePart(opcode: .text, isFinal: true, isFirst: true, isLast: true, data: body)
            try channel.writeInbound(FrameReader.Event.part(part))
        }
        #expect(received.messages.withLock(\.self) == 100)
        var frames = try sent(by: channel)
        #expect(frames.map(\.opcode) == [.connectionClose])
        #expect(frames[0].data.readInteger(as: UInt16.self) == SocketCloseCode.tooManyMessages)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(received.isClosed.withLock(\.self) && !channel.isActive)
    }

    @Test("after a close that isn't valid the connection is closed at once, with an error's code")
    func invalidClose() throws {
        let (channel, _, received) = try channel()
        let part = FramePart(
            opcode: .connectionClose, isFinal: true, isFirst: true, isLast: true, data: ByteBuffer(bytes: [3]))
        try channel.writeInbound(FrameReader.Event.part(part))
        var frames = try sent(by: channel)
        #expect(frames.map(\.opcode) == [.connectionClose] && frames[0].data.readInteger(as: UInt16.self) == 1002)
        #expect(received.isClosed.withLock(\.self) && !channel.isActive)
    }

    @Test("of what is said while a client doesn't read, nothing is kept for it; it is counted, and told to the client")
    func slowReader() throws {
        let (channel, socket, received) = try channel()
        let message = ByteBuffer(repeating: 65, count: 4096)
        channel.isWritable = false
        for _ in 0..<10_000 { socket.send(message, isLive: true) }
        #expect(try sent(by: channel).isEmpty)
        #expect(received.dropped.withLock(\.self) == 10_000)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        socket.send(message, isLive: true)
        // Once, and before what is said from then on.
        #expect(try sent(by: channel).map(\.data) == [ByteBuffer(bytes: SocketEvent.missed.json), message])
        _ = try? channel.finish()
    }

    @Test(
        "of who comes and goes while a client doesn't read, as much is kept as its limit says; beyond it the socket ends"
    )
    func comingAndGoing() throws {
        let (channel, socket, received) = try channel()
        let room = RoomAddress(.random(), on: .random())
        let event = SocketEvent.left(room, .random())
        channel.isWritable = false
        let bound = RoomLimits().bytesUnread / event.json.count
        for _ in 0..<bound { socket.send(event) }
        #expect(received.isClosed.withLock { !$0 })
        for _ in 0..<10_000 { socket.send(event) }
        #expect(received.isClosed.withLock(\.self) && !channel.isActive)
        #expect(try sent(by: channel).count <= bound)
    }

    @Test("a client that reads now and then is never too far behind")
    func readsNowAndThen() throws {
        let (channel, socket, received) = try channel()
        let event = SocketEvent.left(RoomAddress(.random(), on: .random()), .random())
        for _ in 0..<100 {
            channel.isWritable = false
            for _ in 0..<100 { socket.send(event) }
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            #expect(try sent(by: channel).count == 100)
        }
        #expect(received.isClosed.withLock { !$0 })
        _ = try? channel.finish()
    }
}
