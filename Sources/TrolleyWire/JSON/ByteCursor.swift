import TrolleyJournal

/// Writes JSON into a given buffer. The creator must make the buffer large enough.
struct ByteCursor {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// The number of bytes written so far.
    private(set) var position = 0

    /// The most bytes that a time takes, with quotes: in the year 9999, or at the limits of Int64.
    static let timestamp = 40

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func write(byte: UInt8) {
        buffer[position] = byte
        position += 1
    }

    /// Writes constant JSON.
    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rest).copyMemory(from: bytes)
        position += bytes.count
    }

    mutating func write(_ number: Int64) {
        var digits = number.magnitude
        if number < 0 { write(byte: UInt8(ascii: "-")) }
        var count = 1
        var bound: UInt64 = 10
        while digits >= bound {
            count += 1
            if count == 20 { break }
            bound *= 10
        }
        for place in (position..<position + count).reversed() {
            let (quotient, digit) = digits.quotientAndRemainder(dividingBy: 10)
            buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            digits = quotient
        }
        position += count
    }

    mutating func write(_ uuid: UUIDBits) {
        write(byte: UInt8(ascii: "\""))
        position += uuid.write(to: rest)
        write(byte: UInt8(ascii: "\""))
    }

    mutating func write(_ time: Timestamp) {
        write(byte: UInt8(ascii: "\""))
        let count = time.write(to: rest)
        position += count
        if count == 0 { time.description.withBytes { for byte in $0 { write(byte: byte) } } }
        write(byte: UInt8(ascii: "\""))
    }

    /// Writes a string and escapes characters where necessary.
    mutating func write(string text: UnsafeBufferPointer<UInt8>) {
        write(byte: UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                write(byte: UInt8(ascii: "\\"))
                write(byte: byte)
            case UInt8(ascii: "\n"): write("\\n")
            case UInt8(ascii: "\r"): write("\\r")
            case UInt8(ascii: "\t"): write("\\t")
            case 0..<0x20:
                write("\\u00")
                write(byte: UInt8(ascii: "0") + byte >> 4)
                let digit = byte & 15
                write(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            default: write(byte: byte)
            }
        }
        write(byte: UInt8(ascii: "\""))
    }

    private var rest: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(rebasing: buffer[position...]) }
}
