import NIOCore
import NIOPosix
import Synchronization

/// A server that accepts connections, answers the first request of each with the head of an event stream and a heartbeat, and is
/// silent after that.
struct SilentServer {
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    static func start() async throws -> SilentServer {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.pipeline.addHandler(Answer()) }
        return SilentServer(channel: try await bootstrap.bind(host: "127.0.0.1", port: 0).get())
    }

    func stop() async throws { try await channel.close() }

    private final class Answer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let hasAnswered = Mutex(false)

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // A request may come in pieces. A second answer in the middle of the first one would be an error of its own.
            if hasAnswered.withLock({ answered in
                defer { answered = true }
                return answered
            }) {
                return
            }
            let text =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\n:\n\n\r\n"
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        }
    }
}
