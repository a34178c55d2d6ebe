public import TrolleyJournal

/// A streaming JSON reader (RFC 8259). It builds no tree, because a sync may read hundreds of thousands of entries.
///
/// It refuses input that the service could not store or return: invalid UTF-8, unpaired surrogates, U+0000, and values
/// nested deeper than ``maximumDepth``.
public struct JSONReader {
    /// The deepest nesting of arrays and objects.
    public static let maximumDepth = 32

    let bytes: UnsafeBufferPointer<UInt8>
    /// The number of bytes read so far.
    public internal(set) var offset = 0
    private var depth = 0
    /// For each depth, whether the open array or object has had a value.
    private var hasElement: UInt64 = 0

    /// Creates a reader of these bytes, which must outlive it. ``read(_:_:)`` is the usual way.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Reads a whole message: `body` reads its only value.
    /// - Throws: `WireError` from `body`, or `.malformed` when anything but white space follows the value.
    public static func read<Value>(
        _ bytes: some Collection<UInt8>, _ body: (inout JSONReader) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        func whole(_ buffer: UnsafeBufferPointer<UInt8>) -> Result<Value, WireError> {
            Result { () throws(WireError) in try read(all: buffer, body) }
        }
        let result = bytes.withContiguousStorageIfAvailable(whole) ?? Array(bytes).withUnsafeBufferPointer(whole)
        return try result.get()
    }

    /// The same for bytes in memory; takes half the time for a small message.
    static func read<Value>(
        all bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONReader) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        var reader = JSONReader(bytes)
        let value = try body(&reader)
        try reader.finish()
        return value
    }

    /// Checks that nothing but white space follows.
    package mutating func finish() throws(WireError) {
        skipWhitespace()
        guard offset == bytes.count else { throw malformed("something follows the value") }
    }

    func malformed(_ reason: String) -> WireError { .malformed(reason: reason, offset: offset) }

    /// - Parameter offset: where the value begins; nil: here.
    @inline(never) func expected(_ what: String, at offset: Int? = nil) -> WireError {
        .invalid(String(joining: "expected ", what, " at byte ", String(offset ?? self.offset)))
    }

    // MARK: Structure

    /// Enters an object. Then call ``nextKey()`` until it returns nil.
    public mutating func beginObject() throws(WireError) { try begin(UInt8(ascii: "{"), "an object") }

    /// Enters an array. Then call ``nextElement()`` until it returns false.
    public mutating func beginArray() throws(WireError) { try begin(UInt8(ascii: "["), "an array") }

    private mutating func begin(_ bracket: UInt8, _ what: String) throws(WireError) {
        guard try peek() == bracket else { throw expected(what) }
        guard depth < Self.maximumDepth else {
            throw malformed(String(joining: "nested deeper than ", String(Self.maximumDepth)))
        }
        offset += 1
        depth += 1
        hasElement &= ~(1 << UInt64(depth))
    }

    /// The next key of the object. At its end, leaves the object and returns nil.
    public mutating func nextKey() throws(WireError) -> JSONText? {
        guard try next(closing: UInt8(ascii: "}")) else { return nil }
        guard try peek() == UInt8(ascii: "\"") else { throw malformed("expected a key") }
        let key = try text()
        guard try peek() == UInt8(ascii: ":") else { throw malformed("expected ':'") }
        offset += 1
        return key
    }

    /// Whether another element follows. At the end, leaves the array.
    public mutating func nextElement() throws(WireError) -> Bool { try next(closing: UInt8(ascii: "]")) }

    private mutating func next(closing: UInt8) throws(WireError) -> Bool {
        let byte = try peek()
        if byte == closing {
            offset += 1
            depth -= 1
            return false
        }
        if hasElement & (1 << UInt64(depth)) != 0 {
            guard byte == UInt8(ascii: ",") else { throw malformed("expected ',' or the end") }
            offset += 1
            guard try peek() != closing else { throw malformed("nothing follows ','") }
        }
        hasElement |= 1 << UInt64(depth)
        return true
    }

    // MARK: Values

    /// The kind of a value.
    public enum Kind: Hashable, Sendable {
        case object, array, string, number, bool, null
    }

    /// The kind of the next value, without reading it. Anything else counts as a number, and reading the number fails.
    public mutating func kind() throws(WireError) -> Kind {
        switch try peek() {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Reads `null` if it stands here.
    public mutating func null() throws(WireError) -> Bool {
        guard try peek() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    public mutating func bool() throws(WireError) -> Bool {
        switch try peek() {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        default: throw expected("true or false")
        }
    }

    /// Reads a whole number. A number with a fraction or an exponent, or outside Int64, is `.invalid`.
    public mutating func integer() throws(WireError) -> Int64 {
        let start = offset
        let digits = bytes[try number()]
        let isNegative = digits.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in isNegative ? digits.dropFirst() : digits {
            // Counts down, because the negative range has one number more. Any other byte here starts a fraction or an
            // exponent.
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, underflow) = tens.subtractingReportingOverflow(Int64(byte &- 0x30))
            guard byte &- 0x30 < 10, !overflow, !underflow else {
                throw expected("a whole number", at: start)
            }
            value = next
        }
        if isNegative { return value }
        guard value > .min else { throw expected("a whole number", at: start) }
        return -value
    }

    /// An identifier in the text form of a UUID.
    public mutating func identifier<ID: Identifier>(_ type: ID.Type = ID.self) throws(WireError) -> ID {
        let quote = UInt8(ascii: "\"")
        guard try peek() == quote else { throw expected("a UUID") }
        let end = offset + 37
        guard end < bytes.count, bytes[end] == quote,
            let bits = UUIDBits(ascii: UnsafeBufferPointer(rebasing: bytes[offset + 1..<end]))
        else {
            let start = offset
            _ = try string()
            throw expected("a UUID", at: start)
        }
        offset = end + 1
        return ID(bits)
    }

    /// A time in RFC 3339.
    public mutating func timestamp() throws(WireError) -> Timestamp {
        let start = offset
        let text = try text()
        guard let time = text.ascii.map({ Timestamp(ascii: $0) }) ?? Timestamp(text.string) else {
            throw expected("an RFC 3339 time", at: start)
        }
        return time
    }

    /// Skips any value after checking that it is well formed.
    /// - Returns: the value's bytes as a range.
    @discardableResult
    public mutating func skip() throws(WireError) -> Range<Int> {
        let first = try peek()
        let start = offset
        switch first {
        case UInt8(ascii: "{"):
            try beginObject()
            while try nextKey() != nil { try skip() }
        case UInt8(ascii: "["):
            try beginArray()
            while try nextElement() { try skip() }
        case UInt8(ascii: "\""): _ = try text()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n"): _ = try null()
        default: _ = try number()
        }
        return start..<offset
    }

    // MARK: Tokens

    mutating func skipWhitespace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    /// The next byte that is not white space, without consuming it.
    mutating func peek() throws(WireError) -> UInt8 {
        skipWhitespace()
        guard offset < bytes.count else { throw malformed("it ends too early") }
        return bytes[offset]
    }

    private mutating func literal(_ literal: StaticString) throws(WireError) {
        let expected = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard bytes[offset...].starts(with: expected) else { throw malformed("not a value") }
        offset += expected.count
    }

    /// Reads a number by its grammar and returns its range.
    mutating func number() throws(WireError) -> Range<Int> {
        func isDigit(_ offset: Int) -> Bool { offset < bytes.count && bytes[offset] &- 0x30 < 10 }
        let first = try peek()
        let start = offset
        if first == UInt8(ascii: "-") { offset += 1 }
        guard isDigit(offset) else {
            offset = start
            let isValue = first == UInt8(ascii: "\"") || first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            if isValue || first == UInt8(ascii: "t") || first == UInt8(ascii: "f") || first == UInt8(ascii: "n") {
                throw expected("a number")
            }
            throw malformed("not a value")
        }
        if bytes[offset] == UInt8(ascii: "0") { offset += 1 } else { while isDigit(offset) { offset += 1 } }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            guard isDigit(offset) else { throw malformed("a digit must follow '.'") }
            while isDigit(offset) { offset += 1 }
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            guard isDigit(offset) else { throw malformed("a digit must follow the exponent") }
            while isDigit(offset) { offset += 1 }
        }
        return start..<offset
    }
}
