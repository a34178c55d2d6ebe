import NIOCore
import NIOPosix

/// A TCP connection that sends exactly the test's bytes, at the test's times.
struct RawConnection: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, runs `body`, and closes whatever state the connection is in.
    /// - Parameter receiveBuffer: bytes that the system may take before `body` reads them.
    static func with<Value: Sendable>(
        port: Int, receiveBuffer: Int? = nil,
        _ body: @Sendable @escaping (inout Reader, Writer) async throws -> Value
    ) async throws -> Value {
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        if let receiveBuffer { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer) }
        let channel =
            try await bootstrap
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var reader = Reader(iterator: inbound.makeAsyncIterator())
            return try await body(&reader, Writer(outbound: outbound))
        }
    }

    struct Writer: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        func write(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
        func write(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }
    }

    struct Reader {
        fileprivate var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var received = ""

        fileprivate init(iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.iterator = iterator }

        /// Reads until the peer has closed or reset the connection.
        mutating func readToEnd() async throws -> String {
            do { while let buffer = try await iterator.next() { received += String(buffer: buffer) } } catch is IOError
            {}
            return received
        }

        /// Reads until the peer has sent this, or has closed the connection.
        /// - Returns: everything that it has sent so far.
        mutating func read(until text: String) async throws -> String {
            while !received.contains(text), let buffer = try await iterator.next() {
                received += String(buffer: buffer)
            }
            return received
        }
    }
}
