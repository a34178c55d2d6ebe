import NIOCore
import NIOPosix
import NIOSSL
import TrolleyWire

/// A WebSocket client that sends exactly the bytes that a test wants. It knows the protocol by itself, so that it finds
/// faults that a library on both sides would share.
/// For one task at a time.
final class TestSocket: @unchecked Sendable {
    /// What the service sends.
    enum Incoming: Hashable {
        case text(String)
        case ping([UInt8])
        case pong([UInt8])
        /// nil: without a code.
        case close(UInt16?)
        /// The connection is closed.
        case end
    }

    /// The answer to the request to upgrade.
    private(set) var status = 0
    private(set) var headers: [String: String] = [:]
    /// Of a refusal.
    private(set) var body = ""

    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received = ByteBuffer()

    /// Connects, asks to upgrade, runs `body`, and closes whatever state the connection is in.
    /// - Parameter tls: nil: without TLS.
    static func with<Value: Sendable>(
        port: Int, _ path: String, token: String?, headers: [String] = [], tls: TLSConfiguration? = nil,
        _ body: @Sendable @escaping (TestSocket) async throws -> Value
    ) async throws -> Value {
        let channel = try await connect(port: port, tls: tls)
        return try await channel.executeThenClose { inbound, outbound in
            let socket = TestSocket(iterator: inbound.makeAsyncIterator(), outbound: outbound)
            try await socket.send(raw: Array(request(path, token: token, headers: headers).utf8))
            try await socket.readHead()
            return try await body(socket)
        }
    }

    static func connect(
        port: Int, tls: TLSConfiguration? = nil
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let tls = try tls.map { try NIOSSLContext(configuration: $0) }
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: "localhost")
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
    }

    /// The request of RFC 6455 §1.3.
    static func request(_ path: String, token: String?, headers: [String] = []) -> String {
        var lines = [
            "GET \(path) HTTP/1.1", "Host: lists.example.com", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        for header in headers {
            let name = header.prefix { $0 != ":" }
            lines.removeAll { $0.hasPrefix(name + ":") }
            lines.append(header)
        }
        if let token { lines.append("Authorization: Bearer \(token)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private init(
        iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.iterator = iterator
        self.outbound = outbound
    }

    private func readHead() async throws {
        while true {
            let view = received.readableBytesView
            if let end = view.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: view[..<end.lowerBound], as: UTF8.self)
                received.moveReaderIndex(to: end.upperBound)
                let lines = head.split(separator: "\r\n")
                status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
                for line in lines.dropFirst() {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    let value = line[line.index(after: colon)...].drop { $0 == " " }
                    headers[line[..<colon].lowercased()] = String(value)
                }
                break
            }
            guard try await more() else { return }
        }
        guard status != 101, let length = headers["content-length"].flatMap({ Int($0) }) else { return }
        while received.readableBytes < length, try await more() {}
        body = received.readString(length: received.readableBytes) ?? ""
    }

    /// - Returns: false at the end.
    private func more() async throws -> Bool {
        do {
            guard var bytes = try await iterator.next() else { return false }
            received.writeBuffer(&bytes)
            return true
        } catch is IOError {
            return false
        } catch NIOSSLError.uncleanShutdown {
            return false
        }
    }

    // MARK: Sending

    func send(raw bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// Closes the client's side only.
    func finish() { outbound.finish() }

    func send(_ request: SocketRequest) async throws { try await send(text: request.json) }

    func send(text: [UInt8]) async throws { try await send(raw: Self.frame(0x1, text)) }

    /// - Parameters:
    ///   - first: the first byte's other bits: 0x80 for the last fragment.
    ///   - length: the length that the frame states.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], first: UInt8 = 0x80, isMasked: Bool = true, length: Int? = nil
    ) -> [UInt8] {
        var bytes = [first | opcode]
        let length = length ?? payload.count
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch length {
        case ..<126: bytes.append(mask | UInt8(length))
        case ..<65536: bytes += [mask | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: bytes += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return bytes + key + payload.enumerated().map { $0.element ^ key[$0.offset % 4] }
    }

    // MARK: Receiving

    func next() async throws -> Incoming {
        while true {
            if let frame = readFrame() { return frame }
            guard try await more() else { return .end }
        }
    }

    private func readFrame() -> Incoming? {
        var buffer = received
        guard let first = buffer.readInteger(as: UInt8.self), let second = buffer.readInteger(as: UInt8.self) else {
            return nil
        }
        precondition(second & 0x80 == 0 && first & 0xF0 == 0x80, "a service neither masks nor fragments")
        var length = Int(second)
        if second == 126 { length = buffer.readInteger(as: UInt16.self).map(Int.init) ?? .max }
        guard second < 127, let payload = buffer.readBytes(length: length) else { return nil }
        received = buffer
        switch first & 0xF {
        case 0x1: return .text(String(decoding: payload, as: UTF8.self))
        case 0x9: return .ping(payload)
        case 0xA: return .pong(payload)
        default: return .close(payload.count < 2 ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1]))
        }
    }

    /// The next event that is wanted. Pings are answered meanwhile, and other events are skipped.
    /// - Returns: nil when the socket closes before.
    func event(where isWanted: (SocketEvent) -> Bool) async throws -> SocketEvent? {
        while true {
            switch try await next() {
            case .text(let text):
                let event = try SocketEvent(json: text.utf8)
                if isWanted(event) { return event }
            case .ping(let data): try await send(raw: Self.frame(0xA, data))
            case .pong: break
            case .close, .end: return nil
            }
        }
    }

    /// Reads to the end, and answers the service's close.
    /// - Returns: its code; nil: the service closed without one.
    func closeCode() async throws -> UInt16? {
        var code: UInt16?
        while true {
            switch try await next() {
            case .close(let given):
                code = given
                do { try await send(raw: Self.frame(0x8, [])) } catch { return code }
            case .end: return code
            default: break
            }
        }
    }
}
