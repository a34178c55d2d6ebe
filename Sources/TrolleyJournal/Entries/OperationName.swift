/// The name of an operation that only a later version knows: 1 to 16 bytes of UTF-8, without NUL. It is stored in place, so an
/// entry needs no reference for it.
public struct OperationName: Hashable, Sendable {
    public static let maxBytes = 16

    /// The bytes, from the highest one down; what is left is zero.
    let bits: UUIDBits

    init(bits: UUIDBits) { self.bits = bits }

    /// - Returns: nil if the name is empty, too long, or contains a NUL.
    public init?(_ name: String) {
        var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
        for byte in name.utf8 {
            guard byte != 0, count < Self.maxBytes else { return nil }
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<Self.maxBytes {
            high = high << 8 | low >> 56
            low <<= 8
        }
        bits = UUIDBits(high: high, low: low)
    }

    public var text: String {
        var (bytes, high, low): ([UInt8], UInt64, UInt64) = ([], bits.high, bits.low)
        while high | low != 0 {
            bytes.append(UInt8(truncatingIfNeeded: high >> 56))
            high = high << 8 | low >> 56
            low <<= 8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
