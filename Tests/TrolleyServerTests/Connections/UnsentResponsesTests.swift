import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import TrolleyServer

@Suite("Unread answers", .timeLimit(.minutes(20)))
struct UnsentResponsesTests {
    /// A connection that accepts written answers only when the test says so.
    private final class Client {
        let channel = EmbeddedChannel()

        init(_ address: String, _ unsent: UnsentResponses) throws {
            channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
            try channel.pipeline.syncOperations.addHandler(RequestGuard(Timeouts(), unsent: unsent) { _ in })
            try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
            channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
        }

        /// - Returns: whether the connection is still open.
        func answer(_ bytes: Int) -> Bool {
            channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
            channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: bytes)), promise: nil)
            channel.write(HTTPResponsePart.end(nil), promise: nil)
            channel.embeddedEventLoop.run()
            return channel.isActive
        }

        func take() {
            channel.flush()
            channel.embeddedEventLoop.run()
        }
    }

    @Test("a client that takes none is cut off, and one at another address gets its own")
    func cutOff() throws {
        let unsent = UnsentResponses(bytes: 400 << 10, proxies: [])
        let greedy = try (0..<4).map { _ in try Client("192.0.2.1", unsent) }
        #expect(greedy.map { $0.answer(60 << 10) } == [true, true, true, false], "half of all is 200 KiB")
        let other = try Client("192.0.2.2", unsent)
        #expect(other.answer(20 << 10))
        // Sent bytes are released, and so are the bytes of a connection that ends.
        greedy[0].take()
        #expect(try Client("192.0.2.1", unsent).answer(60 << 10))
        greedy[1].channel.close(promise: nil)
        greedy[1].channel.embeddedEventLoop.run()
        #expect(try Client("192.0.2.1", unsent).answer(60 << 10))
    }

    @Test("small answers are not counted")
    func small() throws {
        let unsent = UnsentResponses(bytes: 2 << 10, proxies: [])
        let client = try Client("192.0.2.1", unsent)
        for _ in 0..<100 { #expect(client.answer(1000)) }
        #expect(!client.answer(1 << 20))
    }
}
