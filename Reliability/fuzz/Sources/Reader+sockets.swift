import NIOCore

@testable import TrolleyServer

extension Reader {
    /// WebSocket frames of a client.
    static let sockets = [
        Reader(name: "websocket") { bytes in
            let events = messages(bytes, inPiecesOf: max(1, bytes.count))
            for event in events {
                guard case .text(let message) = event else { continue }
                require(message.readableBytes <= maximumBytes, "a long message")
                let text = String(validating: message.readableBytesView, as: UTF8.self)
                require(text != nil, "a message that isn't UTF-8")
            }
            // In pieces of other sizes it reads the same.
            for size in [1, 2, 5] { requireEqual(messages(bytes, inPiecesOf: size), events, "pieces of \(size)") }
        }
    ]

    private static let maximumBytes = 64

    private static func messages(_ bytes: [UInt8], inPiecesOf size: Int) -> [MessageAssembler.Event] {
        var reader = FrameReader(maximumBytes: maximumBytes)
        var assembler = MessageAssembler(maximumBytes: maximumBytes)
        var buffer = ByteBuffer()
        var events: [MessageAssembler.Event] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.writeBytes(bytes[start..<min(start + size, bytes.count)])
            while let event = reader.next(&buffer) {
                let assembled: MessageAssembler.Event? =
                    switch event {
                    case .part(let part): assembler.receive(part)
                    case .failure(let code): .failure(code)
                    }
                guard let assembled else { continue }
                events.append(assembled)
                switch assembled {
                // Which of two faults is noticed first depends on the pieces.
                case .failure: return events.dropLast() + [.failure(MessageAssembler.Code.protocolError)]
                case .close: return events
                default: break
                }
            }
        }
        return events
    }
}
