import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import TrolleySync
import TrolleyWire

/// A device's WebSocket.
struct RoomSocket: Sendable {
    fileprivate typealias Connection = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// Bytes of one message of the service.
    private static let maximumMessage = 64 << 10

    private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

    /// Opens a socket, passes it to `opened`, and passes on each event until the socket closes.
    /// - Parameter patience: how long the service may say nothing, before it has accepted the socket and afterwards. Then
    ///   it is pinged, and has as long again.
    /// - Throws: `TransportError`: `.notUnderstood` when the service refuses. Errors of the connection.
    static func run(
        _ address: ServiceAddress, path: String, token: String, tls: TLSConfiguration?,
        patience: TimeAmount = .seconds(20), opened: @Sendable (RoomSocket) async -> Void,
        received: @Sendable (SocketEvent) async -> Void
    ) async throws {
        guard let connection = try await connect(address, path: path, token: token, tls: tls, patience) else {
            throw TransportError.notUnderstood("the service refuses the socket")
        }
        try await connection.executeThenClose { inbound, outbound in
            let socket = RoomSocket(outbound: outbound)
            await opened(socket)
            for try await frame in inbound {
                switch frame.opcode {
                case .text:
                    guard let event = try? SocketEvent(json: frame.unmaskedData.readableBytesView) else { continue }
                    await received(event)
                case .ping: try await socket.send(.pong, frame.unmaskedData)
                case .connectionClose:
                    try await socket.send(.connectionClose, frame.unmaskedData)
                    return
                default: break
                }
            }
        }
    }

    func send(_ request: SocketRequest) async throws { try await send(.text, ByteBuffer(bytes: request.json)) }

    func close() async throws { try await send(.connectionClose, ByteBuffer(integer: UInt16(1000))) }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) async throws {
        try await outbound.write(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data))
    }

    /// - Returns: nil when the service answers with something else than a socket.
    private static func connect(
        _ address: ServiceAddress, path: String, token: String, tls: TLSConfiguration?, _ patience: TimeAmount
    ) async throws -> Connection? {
        let target = address.target(path)
        let upgraded = try await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .connectTimeout(.seconds(5))
            .connect(host: target.host, port: target.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try secure(channel, for: target, tls)
                    return try upgrade(channel, target, token: token, patience)
                }
            }
        return try await upgraded.get()
    }

    private static func secure(
        _ channel: any Channel, for target: ServiceAddress.Target, _ tls: TLSConfiguration?
    ) throws {
        guard target.isSecure else { return }
        let context = try NIOSSLContext(configuration: tls ?? .makeClientConfiguration())
        let isIPAddress = (try? SocketAddress(ipAddress: target.host, port: 0)) != nil
        let handler = try NIOSSLClientHandler(context: context, serverHostname: isIPAddress ? nil : target.host)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private static func upgrade(
        _ channel: any Channel, _ target: ServiceAddress.Target, token: String, _ patience: TimeAmount
    ) throws -> EventLoopFuture<Connection?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Connection?>(maxFrameSize: maximumMessage) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(
                    IdleStateHandler(readTimeout: patience), SocketSilenceHandler())
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        let headers: HTTPHeaders = [
            "Host": target.authority, "Authorization": "Bearer \(token)", "Sec-WebSocket-Protocol": "trolley.v1",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target.path, headers: headers)
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Connection?>(
            upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in
            channel.close().map { nil }
        }
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
        // The service's first message may come in one segment with its answer.
        pipeline.leftOverBytesStrategy = .forwardBytes
        let upgraded = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: pipeline)
        let timeout = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        upgraded.whenComplete { _ in timeout.cancel() }
        return upgraded
    }
}
