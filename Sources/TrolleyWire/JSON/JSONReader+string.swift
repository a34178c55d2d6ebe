import TrolleyJournal

extension JSONReader {
    /// Reads a string.
    public mutating func string() throws(WireError) -> String { try text().string }

    /// Reads a string, which need not become a `String`.
    public mutating func text() throws(WireError) -> JSONText {
        guard try peek() == UInt8(ascii: "\"") else { throw expected("a string") }
        let start = offset + 1
        var end = start
        var isASCII = true
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                offset = end + 1
                let slice = UnsafeBufferPointer(rebasing: bytes[start..<end])
                if isASCII { return JSONText(ascii: slice) }
                guard let text = String(validating: slice, as: UTF8.self) else {
                    offset = start
                    throw malformed("invalid UTF-8 in a string")
                }
                return JSONText(text)
            }
            if byte == UInt8(ascii: "\\") {
                offset = start
                return JSONText(try escapedString())
            }
            guard byte >= 0x20 else {
                offset = end
                throw malformed("a control character in a string")
            }
            if byte >= 0x80 { isASCII = false }
            end += 1
        }
        offset = end
        throw malformed("a string that doesn't end")
    }

    /// The slow path, with escapes: starts at the first byte after the quote.
    private mutating func escapedString() throws(WireError) -> String {
        var text: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw malformed("invalid UTF-8 in a string")
                }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw malformed("a control character in a string")
            default: text.append(byte)
            }
        }
        throw malformed("a string that doesn't end")
    }

    /// Reads the part of an escape after the backslash.
    private mutating func escape() throws(WireError) -> Unicode.Scalar {
        guard offset < bytes.count else { throw malformed("a string that doesn't end") }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(WireError) -> Unicode.Scalar {
        let unit = try hexadecimal()
        // PostgreSQL's text can't hold U+0000.
        guard unit != 0 else { throw .invalid(String(joining: "U+0000 in a string at byte ", String(offset - 6))) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw malformed("an unpaired surrogate") }
        offset += 2
        let trail = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(trail),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (trail - 0xDC00))
        else { throw malformed("an unpaired surrogate") }
        return scalar
    }

    private mutating func hexadecimal() throws(WireError) -> UInt32 {
        let digits = bytes[offset..<min(offset + 4, bytes.count)]
        var value: UInt32 = 0
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: throw malformed("four hexadecimal digits must follow \\u")
            }
        }
        guard digits.count == 4 else { throw malformed("four hexadecimal digits must follow \\u") }
        offset += 4
        return value
    }
}
