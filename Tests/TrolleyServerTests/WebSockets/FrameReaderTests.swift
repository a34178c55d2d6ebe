import NIOCore
import NIOWebSocket
import Testing

@testable import TrolleyServer

/// RFC 6455 §5, byte by byte, without a network.
@Suite("Frames and messages", .timeLimit(.minutes(20)))
struct FrameReaderTests {
    private static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// A frame whose length is stated by these bytes.
    private static func frame(_ first: UInt8, _ length: [UInt8], _ payload: [UInt8] = []) -> [UInt8] {
        [first] + [length[0] | 0x80] + length.dropFirst() + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// What a client's bytes amount to, when they arrive in pieces of this size.
    private func events(_ bytes: [UInt8], pieces: Int = .max, maximum: Int = 100) -> [MessageAssembler.Event] {
        var (reader, assembler) = (FrameReader(maximumBytes: maximum), MessageAssembler(maximumBytes: maximum))
        var (events, buffer, rest) = ([MessageAssembler.Event](), ByteBuffer(), bytes[...])
        while !rest.isEmpty {
            buffer.writeBytes(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let event = reader.next(&buffer) {
                switch event {
                case .failure(let code): return events + [.failure(code)]
                case .part(let part):
                    guard let event = assembler.receive(part) else { continue }
                    events.append(event)
                    if case .failure = event { return events }
                }
            }
        }
        return events
    }

    @Test(
        "a message in fragments with a ping between them is the same in pieces of any size",
        arguments: [1, 2, 3, 7, 64])
    func pieces(size: Int) {
        let text = "a\u{E9}\u{20AC}\u{1F600}"
        let bytes = Array(text.utf8)
        let sent =
            Self.frame(0x01, [3], Array(bytes.prefix(3))) + Self.frame(0x89, [2], [1, 2])
            + Self.frame(0x00, [0]) + Self.frame(0x80, [UInt8(bytes.count - 3)], Array(bytes.dropFirst(3)))
            + Self.frame(0x81, [0])
        #expect(
            events(sent, pieces: size)
                == [.ping(ByteBuffer(bytes: [1, 2])), .text(ByteBuffer(string: text)), .text(ByteBuffer())])
    }

    @Test("a message in many fragments holds the memory of its bytes, not of the reads that brought them")
    func memory() {
        var (reader, assembler) = (FrameReader(maximumBytes: 100), MessageAssembler(maximumBytes: 100))
        var message: MessageAssembler.Event?
        for number in 0..<100 {
            var read = ByteBuffer()
            read.reserveCapacity(1 << 16)
            read.writeBytes(Self.frame((number == 99 ? 0x80 : 0) | (number == 0 ? 1 : 0), [1], [65]))
            guard case .part(let part) = reader.next(&read) else { continue }
            message = assembler.receive(part)
            #expect((message == nil) == (number < 99))
        }
        var text = ByteBuffer()
        if case .text(let whole) = message { text = whole }
        #expect(text.readableBytes == 100 && text.storageCapacity <= 256, "\(text.storageCapacity) bytes")
    }

    @Test(
        "a length in more bytes than it needs, or with its highest bit, is an error",
        arguments: [
            [126, 0, 5], [126, 0, 125], [127, 0, 0, 0, 0, 0, 0, 0, 5], [127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
            [127, 0x80, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func lengths(_ length: [UInt8]) {
        #expect(events(Self.frame(0x81, length, [UInt8](repeating: 65, count: 5))) == [.failure(1002)])
    }

    @Test("the shortest lengths of each form are read")
    func shortestLengths() {
        for (length, count) in [([125], 125), ([126, 0, 126], 126), ([127, 0, 0, 0, 0, 0, 1, 0, 0], 1 << 16)]
            as [([UInt8], Int)]
        {
            let payload = [UInt8](repeating: 65, count: count)
            #expect(events(Self.frame(0x81, length, payload), maximum: 1 << 16) == [.text(ByteBuffer(bytes: payload))])
        }
    }

    @Test(
        "a header's fault is noticed at the byte that shows it",
        arguments: [
            [0xC1], [0x83], [0x8B], [0x09], [0x81, 0x05], [0x89, 0xFE], [0x81, 0xFE, 0x00, 0x7D],
        ] as [[UInt8]])
    func headers(_ bytes: [UInt8]) {
        #expect(events(bytes, pieces: 1) == [.failure(1002)])
        #expect(events(bytes.dropLast(), pieces: 1).isEmpty)
    }

    @Test("text that isn't UTF-8 is noticed at the byte that shows it, within a frame and within a message")
    func failsFast() {
        // Overlong, a surrogate, beyond U+10FFFF, a lone continuation, a scalar that ends too early.
        for bad in [[0xC0], [0xE0, 0x80], [0xED, 0xA0], [0xF4, 0x90], [0xF5], [0x80], [0xE2, 0x28]] as [[UInt8]] {
            let text = [0x61] + bad
            // The frame states more than has arrived.
            let frame = Self.frame(0x81, [50], text)
            #expect(events(frame, pieces: 1) == [.failure(1007)], "\(bad)")
            #expect(events(frame.dropLast(), pieces: 1).isEmpty, "\(bad)")
            // The message goes on in other frames.
            #expect(events(Self.frame(0x01, [UInt8(text.count)], text)) == [.failure(1007)], "\(bad)")
        }
        #expect(events(Self.frame(0x81, [2], [0xE2, 0x82])) == [.failure(1007)])
        #expect(events(Self.frame(0x01, [2], [0xE2, 0x82]) + Self.frame(0x80, [1], [0xAC])).count == 1)
    }

    @Test("UTF-8 is what the library reads as UTF-8")
    func scalars() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 61) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var check = UTF8Check()
            #expect(check.accept(ByteBuffer(string: String(Character(scalar)))) && check.isComplete)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<4).map { _ in UInt8.random(in: 0x70...0xFF, using: &generator) }
            var check = UTF8Check()
            let isValid = check.accept(ByteBuffer(bytes: bytes)) && check.isComplete
            #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    @Test("a close that isn't valid is answered with an error, like any close: the client sends no more")
    func closes() {
        for (body, code) in [
            ([], 1000), ([3], 1002), ([0x03, 0xE8], 1000), ([0x03, 0xED], 1002), ([0x03, 0xE8, 0xFF], 1007),
            ([0x03, 0xE8, 0xE2, 0x82], 1007), ([0x13, 0x88], 1002), ([0x0B, 0xB8, 0x61], 3000),
        ] as [([UInt8], UInt16)] {
            #expect(events(Self.frame(0x88, [UInt8(body.count)], body)) == [.close(code)], "\(body)")
        }
    }
}
