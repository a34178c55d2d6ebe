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
        let isClosed = Mutex(false)
    }

    /// A channel with a socket, whose messages are counted.
    private func channel() throws -> (EmbeddedChannel, Socket, Received) {
        let (channel, received) = (EmbeddedChannel(), Received())
        let socket = Socket(
            Session(account: .random(), device: .random()), address: nil, isForOneRoom: true, limits: RoomLimits(),
            on: channel
        ) { _, event in
            switch event {
            case .opened: break
            case .message: received.messages.withLock { $0 += 1 }
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
            let frame = WebSocketFrame(
                fin: true, opcode: .text, maskKey: WebSocketMaskingKey([1, 2, 3, 4]), data: body)
            try channel.writeInbound(frame)
        }
        #expect(received.messages.withLock(\.self) == 100)
        var frames = try sent(by: channel)
        #expect(frames.map(\.opcode) == [.connectionClose])
        #expect(frames[0].data.readInteger(as: UInt16.self) == SocketCloseCode.tooManyMessages)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(received.isClosed.withLock(\.self) && !channel.isActive)
    }

    @Test("of what is said while a client doesn't read, nothing is kept for it; later it hears what is said then")
    func slowReader() throws {
        let (channel, socket, _) = try channel()
        let message = ByteBuffer(repeating: 65, count: 4096)
        channel.isWritable = false
        for _ in 0..<10_000 { socket.send(message, isLive: true) }
        #expect(try sent(by: channel).isEmpty)
        channel.isWritable = true
        socket.send(message, isLive: true)
        #expect(try sent(by: channel).map(\.data) == [message])
        _ = try? channel.finish()
    }
}
