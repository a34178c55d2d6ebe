import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// Turns an HTTP/1.1 connection into a WebSocket at the moment when `101 Switching Protocols` is written.
///
/// So a request to upgrade is an ordinary request until then: any request of a connection may upgrade, by way of all
/// middleware, over TLS as well as without (decision 1701). The switch happens in one turn of the event loop, so no
/// frame of the client can arrive in between.
final class SocketUpgrader: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let maximumFrame: Int
    private let socket: SocketHandler

    private init(maximumFrame: Int, socket: SocketHandler) {
        self.maximumFrame = maximumFrame
        self.socket = socket
    }

    /// Prepares a connection. The next response must be `101 Switching Protocols`.
    /// - Returns: false when the connection isn't HTTP/1.1.
    static func prepare(_ channel: any Channel, maximumFrame: Int, for socket: Socket) async throws -> Bool {
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            guard let request = try? pipeline.handler(type: RequestGuard.self),
                (try? pipeline.handler(type: VersionGuard.self))?.allowsUpgrade == true
            else { return false }
            let upgrader = SocketUpgrader(maximumFrame: maximumFrame, socket: SocketHandler(socket))
            try pipeline.addHandler(upgrader, position: .before(request))
            return true
        }.get()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(let head) = unwrapOutboundIn(data), head.status == .switchingProtocols else {
            // The request was refused after all.
            context.write(data, promise: promise)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            return
        }
        context.writeAndFlush(data, promise: promise)
        do { try switchProtocols(context) } catch { context.close(promise: nil) }
    }

    private func switchProtocols(_ context: ChannelHandlerContext) throws {
        let pipeline = context.pipeline.syncOperations
        let connection = try? pipeline.handler(type: ConnectionGuard.self)
        let request = try? pipeline.handler(type: RequestGuard.self)
        // The connection has a request as long as it lives: the socket keeps its own time.
        connection?.requestBegan(multiplexed: false)
        let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandler(WebSocketFrameEncoder(), position: .before(codec))
        try pipeline.addHandler(
            ByteToMessageHandler(FrameDecoder(maximumBytes: maximumFrame)), position: .before(codec))
        try pipeline.addHandler(socket, position: .before(codec))
        remove(HTTPConnectionStateHandler.self, pipeline)
        remove(RequestGuard.self, pipeline)
        pipeline.removeHandler(self, promise: nil)
        remove(HTTP1ToHTTPServerCodec.self, pipeline)
        remove(VersionGuard.self, pipeline)
        remove(HeadGuard.self, pipeline)
        remove(ByteToMessageHandler<HTTPRequestDecoder>.self, pipeline)
        remove(HTTPResponseEncoder.self, pipeline)
        try socket.begin()
        // The connection was told so before the socket was there.
        if request?.isQuiescing == true { socket.close(MessageAssembler.Code.goingAway) }
    }

    private func remove<Handler: RemovableChannelHandler>(
        _ type: Handler.Type, _ pipeline: ChannelPipeline.SynchronousOperations
    ) {
        guard let handler = try? pipeline.handler(type: type) else { return }
        pipeline.removeHandler(handler, promise: nil)
    }
}

@available(*, unavailable)
extension SocketUpgrader: Sendable {}
