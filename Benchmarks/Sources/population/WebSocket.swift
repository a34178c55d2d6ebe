import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A WebSocket that stays open. What arrives is told on its event loop.
struct WebSocket: Sendable {
    private let channel: any Channel

    var eventLoop: any EventLoop { channel.eventLoop }
    var isOpen: Bool { channel.isActive }

    /// - Parameter source: the address to come from; nil: any.
    init(
        to address: Address, from source: SocketAddress? = nil, call: HTTPCall, on group: any EventLoopGroup,
        onText: @escaping @Sendable (ByteBuffer) -> Void
    ) async throws {
        var bootstrap = ClientBootstrap(group: group).channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let source { bootstrap = bootstrap.bind(to: source) }
        let upgraded = try await bootstrap.connect(to: address.socket) { channel in
            channel.eventLoop.makeCompletedFuture {
                let upgrader = NIOTypedWebSocketClientUpgrader<Bool> { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(TextHandler(onText: onText))
                        return true
                    }
                }
                let configuration = NIOTypedHTTPClientUpgradeConfiguration<Bool>(
                    upgradeRequestHead: call.head, upgraders: [upgrader]
                ) { channel in
                    channel.close().map { false }
                }
                var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
                pipeline.leftOverBytesStrategy = .forwardBytes
                let isOpen = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                    configuration: pipeline)
                return (channel, isOpen)
            }
        }
        channel = upgraded.0
        guard try await upgraded.1.get() else { throw UnexpectedAnswer("\(call.path.prefix(60)) opened no socket") }
    }

    /// Sends a text. Call this on the event loop.
    func send(_ text: [UInt8]) {
        let mask: WebSocketMaskingKey = [0x37, 0xFA, 0x21, 0x3D]
        let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: mask, data: ByteBuffer(bytes: text))
        channel.writeAndFlush(frame, promise: nil)
    }

    func close() async { try? await channel.close() }
}

private final class TextHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let onText: @Sendable (ByteBuffer) -> Void

    init(onText: @escaping @Sendable (ByteBuffer) -> Void) { self.onText = onText }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: onText(frame.unmaskedData)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
