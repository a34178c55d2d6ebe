import NIOCore
import NIOWebSocket

/// Pings a service that is silent, and closes the connection when it stays so. Without it, a connection that a phone has
/// lost on the way looks open for many minutes. Stands behind an `IdleStateHandler`.
final class SocketSilenceHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private var hasPinged = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasPinged = false
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case IdleStateHandler.IdleStateEvent.read? = event as? IdleStateHandler.IdleStateEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if hasPinged { return context.close(promise: nil) }
        hasPinged = true
        let ping = WebSocketFrame(fin: true, opcode: .ping, maskKey: .random(), data: ByteBuffer())
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
    }
}

@available(*, unavailable)
extension SocketSilenceHandler: Sendable {}
