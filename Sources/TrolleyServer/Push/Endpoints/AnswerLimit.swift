import NIOCore

/// Closes the connection when the endpoint has sent too much. AsyncHTTPClient would keep a head of 2 MiB.
final class AnswerLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var remaining: Int

    /// - Parameter bytes: with TLS, encrypted ones.
    init(bytes: Int) { remaining = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        remaining -= unwrapInboundIn(data).readableBytes
        if remaining < 0 {
            context.close(promise: nil)
        } else {
            context.fireChannelRead(data)
        }
    }
}
