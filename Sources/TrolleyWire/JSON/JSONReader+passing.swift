extension JSONReader {
    /// Passes over a value of which only the structure must be valid: brackets, commas, colons and literals, nested however
    /// deep. Its strings may hold anything up to their closing quote, also what ``skip()`` refuses. So the end of a refused
    /// value is found, and only there where it is certain.
    /// - Returns: the value's bytes as a range.
    /// - Throws: `.malformed`, when the structure is not valid JSON.
    @discardableResult
    mutating func pass() throws(WireError) -> Range<Int> {
        _ = try peek()
        let start = offset
        // The closing brackets that are missing, the innermost last. Not recursive, so that no depth exhausts the stack.
        var closing: [UInt8] = []
        repeat {
            try passScalarOrOpen(&closing)
            try passEnds(of: &closing)
        } while !closing.isEmpty
        return start..<offset
    }

    /// Passes over a value, or enters an array or an object that is not empty, up to its first value.
    private mutating func passScalarOrOpen(_ closing: inout [UInt8]) throws(WireError) {
        while true {
            let first = try peek()
            guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { break }
            // The closing brackets are two places after the opening ones in ASCII.
            offset += 1
            if try peek() == first + 2 {
                offset += 1
                return
            }
            closing.append(first + 2)
            if first == UInt8(ascii: "{") { try passKey() }
        }
        switch try peek() {
        case UInt8(ascii: "\""): try passString()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n"): _ = try null()
        default: _ = try number()
        }
    }

    /// After a value: passes over the brackets that close here, up to the next value of what stays open.
    private mutating func passEnds(of closing: inout [UInt8]) throws(WireError) {
        while let bracket = closing.last {
            let byte = try peek()
            if byte == bracket {
                offset += 1
                closing.removeLast()
                continue
            }
            guard byte == UInt8(ascii: ",") else { throw malformed("expected ',' or the end") }
            offset += 1
            if bracket == UInt8(ascii: "}") { try passKey() }
            return
        }
    }

    private mutating func passKey() throws(WireError) {
        guard try peek() == UInt8(ascii: "\"") else { throw malformed("expected a key") }
        try passString()
        guard try peek() == UInt8(ascii: ":") else { throw malformed("expected ':'") }
        offset += 1
    }

    private mutating func passString() throws(WireError) {
        offset += 1
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        offset = bytes.count
        throw malformed("a string that doesn't end")
    }
}
