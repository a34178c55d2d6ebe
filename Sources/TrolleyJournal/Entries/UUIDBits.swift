/// The 128 bits of a UUID (RFC 9562), as two words, so that comparing and hashing take few instructions.
///
/// Text form: 36 characters, always written in lower case; upper case is accepted when reading.
public struct UUIDBits: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUIDv7 (RFC 9562 §5.7).
    /// - Parameters:
    ///   - time: the time of creation; its milliseconds since 1970 fill the first 48 bits.
    ///   - random: 74 of these bits fill the rest.
    public static func version7(at time: Timestamp, random: (UInt64, UInt64)) -> UUIDBits {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        return UUIDBits(
            high: milliseconds << 16 | 0x7000 | random.0 & 0x0FFF,
            low: 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// The sixteen bytes, most significant first.
    public var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 & 7))) }
    }

    /// - Returns: nil unless there are exactly sixteen bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}

#if SeededFaults
    extension UUIDBits {
        // As it would be otherwise. Most searches compare ids, so this is where one that passes too many shows.
        public static func == (left: UUIDBits, right: UUIDBits) -> Bool {
            WorkCounter.step()
            return left.high == right.high && left.low == right.low
        }
    }
#endif

extension UUIDBits: Comparable {
    @inlinable
    public static func < (left: UUIDBits, right: UUIDBits) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension UUIDBits: LosslessStringConvertible {
    public init?(_ description: String) {
        let parsed = description.withBytes { UUIDBits(ascii: $0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Parses the 36 characters of the text form.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        guard ascii.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in ascii.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
            digits += 1
        }
        self.init(high: words.0, low: words.1)
    }

    public var description: String {
        String(unsafeUninitializedCapacity: 36) { write(to: $0) }
    }

    /// Writes the 36 characters of the text form and returns 36.
    @discardableResult
    public func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        precondition(buffer.count >= 36, "a UUID's text has 36 characters")
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        let hyphen = UInt8(ascii: "-")
        let (first, second) = (Self.digits(of: high >> 32), Self.digits(of: high & 0xFFFF_FFFF))
        let (third, fourth) = (Self.digits(of: low >> 32), Self.digits(of: low & 0xFFFF_FFFF))
        bytes.storeBytes(of: first.littleEndian, as: UInt64.self)
        bytes[8] = hyphen
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
        bytes[13] = hyphen
        bytes.storeBytes(of: UInt32(second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
        bytes[18] = hyphen
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
        bytes[23] = hyphen
        bytes.storeBytes(of: UInt32(third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
        bytes.storeBytes(of: fourth.littleEndian, toByteOffset: 28, as: UInt64.self)
        return 36
    }

    /// The eight hexadecimal digits of a 32-bit number, the first digit in the lowest byte. Computes all digits at
    /// once, because most of the service's output is UUIDs.
    private static func digits(of number: UInt64) -> UInt64 {
        var digits = UInt64(UInt32(truncatingIfNeeded: number).byteSwapped)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits >> 4) & 0x000F_000F_000F_000F | (digits & 0x000F_000F_000F_000F) << 8
        // 1 in each byte that will be a letter.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }
}
