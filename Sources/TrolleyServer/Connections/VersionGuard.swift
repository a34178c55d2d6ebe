import NIOCore
import NIOHTTP1

/// Notes whether a connection's client speaks another version of HTTP than 1.1, which knows no upgrade (RFC 6455 §4.2.1). The
/// requests that the service sees have no version any more.
final class VersionGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Whether all requests so far were of HTTP/1.1.
    private(set) var allowsUpgrade = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.version != .http1_1 { allowsUpgrade = false }
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension VersionGuard: Sendable {}
