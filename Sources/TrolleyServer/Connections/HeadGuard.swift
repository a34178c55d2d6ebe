import NIOCore
import NIOHTTP1

/// Sends the answer to a HEAD request without content: neither a refusal's text nor the last chunk of an answer of unknown length,
/// which the encoder would write. The client would take these bytes for the beginning of the next answer (RFC 9112 §6.3).
final class HeadGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether each request without an answer is HEAD, oldest first. ``RequestGuard`` limits reading ahead.
    private var requests = CircularBuffer<Bool>()
    private var isWithoutContent = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { requests.append(head.method == .HEAD) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            // 100 Continue comes before the answer. A request that can't be parsed is answered without having begun.
            if head.status.code >= 200 { isWithoutContent = requests.popFirst() ?? false }
            context.write(data, promise: promise)
        case .body, .end:
            guard isWithoutContent else { return context.write(data, promise: promise) }
            // The encoder sends nothing for it, and keeps the promise in its order.
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
        }
    }
}

@available(*, unavailable)
extension HeadGuard: Sendable {}
