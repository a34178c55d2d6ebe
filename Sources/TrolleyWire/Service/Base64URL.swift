/// Base64 with the URL-safe alphabet and no padding (RFC 4648 §5).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each byte that is a digit; 255 for all others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let count = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: count) { digits in
            var (bits, waiting, position) = (UInt32(0), 0, 0)
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                waiting += 8
                while waiting >= 6 {
                    waiting -= 6
                    digits[position] = alphabet[Int(bits >> UInt32(waiting) & 63)]
                    position += 1
                }
            }
            if waiting > 0 {
                digits[position] = alphabet[Int(bits << UInt32(6 - waiting) & 63)]
                position += 1
            }
            return position
        }
    }

    /// - Returns: nil when the text is not base64url. Ignores unused bits of the last digit.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, waiting) = (UInt32(0), 0)
        for digit in digits {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            waiting += 6
            if waiting >= 8 {
                waiting -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(waiting)))
            }
        }
        return bytes
    }
}
