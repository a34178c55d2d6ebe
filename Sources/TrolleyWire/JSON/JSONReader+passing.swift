extension JSONReader {
    /// Passes over a value whose structure must be valid: brackets, commas, colons and literals, in any depth. Its
    /// strings may contain anything up to their closing quote, even what ``skip()`` rejects. So the reader finds the
    /// end of a rejected value, if the end is certain.
    /// - Returns: the value's bytes as a range.
    /// - Throws: `.malformed`, when the structure is not valid JSON.
    @discardableResult
    mutating func pass() throws(WireError) -> Range<Int> {
        _ = try peek()
        let start = offset
        // The missing closing brackets, the innermost last. There is no recursion, so that no depth exhausts the stack.
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
            // In ASCII, a closing bracket is two places after its opening bracket.
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

    /// After a value: passes over the closing brackets, up to the next value of the innermost open array or object.
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
