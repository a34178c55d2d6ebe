import NIOCore
import NIOWebSocket

/// Assembles a client's messages from frames, and checks what RFC 6455 requires of them. A value without a channel.
struct MessageAssembler {
    /// What a frame amounts to.
    enum Event: Hashable {
        case text(ByteBuffer)
        case ping(ByteBuffer)
        case pong
        /// The client closes.
        /// - Parameter code: the code to answer with.
        case close(UInt16)
        /// The connection must be closed with this code.
        case failure(UInt16)
    }

    /// Codes of RFC 6455 §7.4.1.
    enum Code {
        static let normal: UInt16 = 1000
        static let goingAway: UInt16 = 1001
        static let protocolError: UInt16 = 1002
        static let unsupportedData: UInt16 = 1003
        static let notUTF8: UInt16 = 1007
        static let policyViolation: UInt16 = 1008
        static let tooLarge: UInt16 = 1009
        static let internalError: UInt16 = 1011
    }

    private let maximumBytes: Int
    /// The message so far; nil between messages.
    private var partial: ByteBuffer?

    /// - Parameter maximumBytes: of one message.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// - Returns: nil when the message goes on in another frame.
    mutating func receive(_ frame: WebSocketFrame) -> Event? {
        // §5.1: a client masks every frame. §5.2: reserved bits need an extension, and none was negotiated.
        guard frame.maskKey != nil, frame.reservedBits.isEmpty else { return .failure(Code.protocolError) }
        let data = frame.unmaskedData
        switch frame.opcode {
        case .text:
            guard partial == nil else { return .failure(Code.protocolError) }
            return append(data, isLast: frame.fin)
        case .continuation:
            guard partial != nil else { return .failure(Code.protocolError) }
            return append(data, isLast: frame.fin)
        case .binary: return .failure(Code.unsupportedData)
        case .ping: return .ping(data)
        case .pong: return .pong
        case .connectionClose: return Self.closure(data)
        default: return .failure(Code.protocolError)
        }
    }

    private mutating func append(_ data: ByteBuffer, isLast: Bool) -> Event? {
        guard (partial?.readableBytes ?? 0) + data.readableBytes <= maximumBytes else {
            return .failure(Code.tooLarge)
        }
        var data = data
        var message = data
        if var known = partial.take() {
            known.writeBuffer(&data)
            message = known
        }
        guard isLast else {
            partial = message
            return nil
        }
        guard message.isUTF8 else { return .failure(Code.notUTF8) }
        return .text(message)
    }

    /// §5.5.1: a close frame has no body, or a code and a reason in UTF-8.
    private static func closure(_ data: ByteBuffer) -> Event {
        var data = data
        guard data.readableBytes > 0 else { return .close(Code.normal) }
        guard let code = data.readInteger(as: UInt16.self), isValid(code) else { return .failure(Code.protocolError) }
        return data.isUTF8 ? .close(code) : .failure(Code.notUTF8)
    }

    /// §7.4: codes that may be sent. 1012 to 1014 are registered with IANA.
    private static func isValid(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension ByteBuffer {
    fileprivate var isUTF8: Bool {
        withUnsafeReadableBytes { bytes in
            if bytes.allSatisfy({ $0 < 0x80 }) { return true }
            return String(validating: bytes, as: UTF8.self) != nil
        }
    }
}
