import NIOCore
import NIOWebSocket

/// Reads frames as their bytes arrive (RFC 6455 §5.2). A value without a channel.
///
/// It refuses a frame as soon as its header shows a fault, and passes data on before the frame is complete, so that a
/// message that isn't UTF-8 is noticed at once.
struct FrameReader {
    /// What was read.
    enum Event: Hashable {
        case part(FramePart)
        /// The connection must be closed with this code.
        case failure(UInt16)
    }

    /// A frame whose header was read.
    private struct Open {
        let header: Header
        let maskKey: WebSocketMaskingKey
        /// Bytes of the payload that were passed on.
        var passed = 0
    }

    private struct Header {
        let opcode: WebSocketOpcode
        let isFinal: Bool
        let length: Int
        var isControl: Bool { opcode.isControlOpcode }
    }

    private let maximumBytes: Int
    private var frame: Open?

    /// - Parameter maximumBytes: of one frame.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// - Returns: nil when more bytes are needed.
    mutating func next(_ buffer: inout ByteBuffer) -> Event? {
        guard frame != nil else { return begin(&buffer) }
        return proceed(&buffer, isFirst: false)
    }

    private mutating func begin(_ buffer: inout ByteBuffer) -> Event? {
        var rest = buffer
        guard let first = rest.readInteger(as: UInt8.self) else { return nil }
        // Reserved bits need an extension, and none was negotiated. Of the opcodes, 3 to 7 and 11 to 15 are reserved.
        guard first & 0x70 == 0, let opcode = WebSocketOpcode(known: first & 0x0F) else { return Self.protocolError }
        let isFinal = first & 0x80 != 0
        // §5.5: control frames aren't fragmented, and have at most 125 bytes.
        guard isFinal || !opcode.isControlOpcode else { return Self.protocolError }
        guard let second = rest.readInteger(as: UInt8.self) else { return nil }
        // §5.1: a client masks every frame.
        guard second & 0x80 != 0 else { return Self.protocolError }
        guard second & 0x7F <= 125 || !opcode.isControlOpcode else { return Self.protocolError }
        let length: Int
        switch Self.length(second & 0x7F, &rest) {
        case nil: return nil
        case .failure?: return Self.protocolError
        case .success(let stated)?: length = stated
        }
        guard length <= maximumBytes else { return .failure(MessageAssembler.Code.tooLarge) }
        guard let key = rest.readBytes(length: 4).flatMap({ WebSocketMaskingKey($0) }) else { return nil }
        buffer = rest
        frame = Open(
            header: Header(opcode: opcode, isFinal: isFinal, length: length),
            maskKey: key)
        return proceed(&buffer, isFirst: true)
    }

    private struct NotMinimal: Error {}

    /// The payload's length: in the fewest bytes, without the most significant bit.
    /// - Returns: nil when more bytes are needed.
    private static func length(_ short: UInt8, _ buffer: inout ByteBuffer) -> Result<Int, NotMinimal>? {
        switch short {
        case 126:
            guard let length = buffer.readInteger(as: UInt16.self) else { return nil }
            return length > 125 ? .success(Int(length)) : .failure(NotMinimal())
        case 127:
            guard let length = buffer.readInteger(as: UInt64.self) else { return nil }
            guard length > UInt16.max, let length = Int(exactly: length) else { return .failure(NotMinimal()) }
            return .success(length)
        default: return .success(Int(short))
        }
    }

    /// Passes on what has arrived of the payload. A control frame is passed on whole.
    private mutating func proceed(_ buffer: inout ByteBuffer, isFirst: Bool) -> Event? {
        guard var open = frame else { return nil }
        let missing = open.header.length - open.passed
        let count = min(missing, buffer.readableBytes)
        guard count == missing || (!open.header.isControl && (count > 0 || isFirst)) else { return nil }
        var data = buffer.readSlice(length: count) ?? ByteBuffer()
        data.webSocketUnmask(open.maskKey, indexOffset: open.passed)
        let isFirst = open.passed == 0 && (isFirst || open.header.isControl)
        open.passed += count
        let isLast = open.passed == open.header.length
        frame = isLast ? nil : open
        return .part(
            FramePart(
                opcode: open.header.opcode, isFinal: open.header.isFinal, isFirst: isFirst, isLast: isLast, data: data))
    }

    private static var protocolError: Event { .failure(MessageAssembler.Code.protocolError) }
}

/// Consecutive bytes of a frame's payload.
struct FramePart: Hashable {
    let opcode: WebSocketOpcode
    /// Whether the frame is the last one of its message.
    let isFinal: Bool
    /// Whether the frame begins with this part.
    let isFirst: Bool
    /// Whether the frame ends with this part.
    let isLast: Bool
    /// Without the mask.
    let data: ByteBuffer
}

extension WebSocketOpcode {
    /// - Returns: nil for a reserved opcode.
    fileprivate init?(known code: UInt8) {
        switch code {
        case 0...2, 8...10: self.init(encodedWebSocketOpcode: code)
        default: return nil
        }
    }
}
