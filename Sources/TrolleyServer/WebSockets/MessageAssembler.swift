import NIOCore
import NIOWebSocket

/// Assembles a client's messages from the parts of frames, and checks what RFC 6455 requires of them. A value without a
/// channel.
///
/// Not `NIOWebSocketFrameAggregator`: it keeps each fragment with the memory of the read that brought it, limits the number of
/// fragments, and checks no UTF-8 (decision 1701).
struct MessageAssembler {
    /// What a part of a frame amounts to.
    enum Event: Hashable {
        case text(ByteBuffer)
        case ping(ByteBuffer)
        case pong
        /// The client closes, so it sends no more.
        /// - Parameter code: the code to answer with. After a close that isn't valid it is an error's.
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
    private var check = UTF8Check()

    /// - Parameter maximumBytes: of one message.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// - Returns: nil when the message goes on.
    mutating func receive(_ part: FramePart) -> Event? {
        switch part.opcode {
        case .text:
            if part.isFirst {
                guard partial == nil else { return .failure(Code.protocolError) }
                (partial, check) = (ByteBuffer(), UTF8Check())
            }
            return append(part)
        case .continuation:
            guard partial != nil else { return .failure(Code.protocolError) }
            return append(part)
        case .binary: return .failure(Code.unsupportedData)
        case .ping: return .ping(part.data)
        case .pong: return .pong
        case .connectionClose: return Self.closure(part.data)
        default: return .failure(Code.protocolError)
        }
    }

    private mutating func append(_ part: FramePart) -> Event? {
        var (message, data) = (partial.take() ?? ByteBuffer(), part.data)
        guard message.readableBytes + data.readableBytes <= maximumBytes else { return .failure(Code.tooLarge) }
        guard check.accept(data) else { return .failure(Code.notUTF8) }
        if message.readableBytes == 0 { message = data } else { message.writeBuffer(&data) }
        guard part.isFinal, part.isLast else {
            partial = message
            return nil
        }
        return check.isComplete ? .text(message) : .failure(Code.notUTF8)
    }

    /// §5.5.1: a close frame has no body, or a code and a reason in UTF-8.
    private static func closure(_ data: ByteBuffer) -> Event {
        var (data, check) = (data, UTF8Check())
        guard data.readableBytes > 0 else { return .close(Code.normal) }
        guard let code = data.readInteger(as: UInt16.self), isValid(code) else { return .close(Code.protocolError) }
        return .close(check.accept(data) && check.isComplete ? code : Code.notUTF8)
    }

    /// §7.4: codes that may be sent. 1012 to 1014 are registered with IANA.
    private static func isValid(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
