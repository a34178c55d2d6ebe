import NIOCore
import NIOHTTP1
import NIOPosix

/// One server-sent event (WHATWG HTML §9.2).
struct ServerEvent: Sendable {
    var name = "message"
    var data = ""
}

/// A stream of server-sent events that stays open. What arrives is told on the stream's event loop.
struct EventStream: Sendable {
    private let channel: any Channel

    init(
        to address: Address, call: HTTPCall, on group: any EventLoopGroup,
        onEvent: @escaping @Sendable (ServerEvent) -> Void
    ) async throws {
        channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(EventHandler(onEvent: onEvent))
                }
            }
            .connect(to: address.socket).get()
        channel.write(HTTPClientRequestPart.head(call.head), promise: nil)
        try await channel.writeAndFlush(HTTPClientRequestPart.end(nil))
    }

    var isOpen: Bool { channel.isActive }

    func close() async { try? await channel.close() }
}

private final class EventHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let onEvent: @Sendable (ServerEvent) -> Void
    private var line: [UInt8] = []
    private var event = ServerEvent()

    init(onEvent: @escaping @Sendable (ServerEvent) -> Void) { self.onEvent = onEvent }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .body(let part) = unwrapInboundIn(data) else { return }
        for byte in part.readableBytesView {
            if byte == UInt8(ascii: "\n") { endLine() } else { line.append(byte) }
        }
    }

    private func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        if line.isEmpty {
            if !event.data.isEmpty { onEvent(event) }
            event = ServerEvent()
            return
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        switch text[..<colon] {
        case "event": event.name = String(value)
        case "data": event.data += value
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
