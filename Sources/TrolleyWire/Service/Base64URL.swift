import TrolleyJournal

/// Base64 with the URL-safe alphabet and no padding (RFC 4648 §5).
///
/// Nothing here is generic, because the service encodes and decodes tokens in each request: the compiler does not
/// specialize a generic function for the callers in another module.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { digits in
            var (bits, waiting, position) = (UInt32(0), UInt32(0), 0)
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                waiting += 8
                while waiting >= 6 {
                    waiting -= 6
                    digits[position] = digit(UInt8(truncatingIfNeeded: bits >> waiting) & 63)
                    position += 1
                }
            }
            if waiting > 0 {
                digits[position] = digit(UInt8(truncatingIfNeeded: bits << (6 - waiting)) & 63)
                position += 1
            }
            return position
        }
    }

    /// - Returns: nil when the text is not base64url. Ignores unused bits of the last digit.
    package static func decode(_ text: String) -> [UInt8]? {
        text.withBytes { digits in
            guard digits.count % 4 != 1 else { return nil }
            var isValid = true
            let bytes = [UInt8](unsafeUninitializedCapacity: digits.count * 3 / 4) { bytes, count in
                var (bits, waiting) = (UInt32(0), UInt32(0))
                for digit in digits {
                    guard let value = value(digit) else {
                        isValid = false
                        return
                    }
                    bits = bits << 6 | UInt32(value)
                    waiting += 6
                    if waiting >= 8 {
                        waiting -= 8
                        bytes[count] = UInt8(truncatingIfNeeded: bits >> waiting)
                        count += 1
                    }
                }
            }
            return isValid ? bytes : nil
        }
    }

    /// - Parameter value: less than 64.
    package static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
