/// SipHash-2-4 over whole words: a code of 64 bits that only the holder of the key can make, for short texts (Aumasson and
/// Bernstein, 2012). For an entry it takes less than half of the time of SHA-256.
///
/// Inlined throughout, so that the state stays in registers: an entry has twenty words.
struct SipHash {
    /// A key of 128 bits.
    typealias Key = (UInt64, UInt64)

    private var v0, v1, v2, v3: UInt64
    private var bytes: UInt64 = 0

    init(key: Key) {
        v0 = key.0 ^ 0x736f_6d65_7073_6575
        v1 = key.1 ^ 0x646f_7261_6e64_6f6d
        v2 = key.0 ^ 0x6c79_6765_6e65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    /// Appends eight bytes, the first of them in the lowest bits.
    @inline(__always)
    mutating func append(_ word: UInt64) {
        bytes &+= 8
        compress(word)
    }

    /// The code of what was appended.
    @inline(__always)
    var code: UInt64 {
        var end = self
        // The length in the highest byte, as after a text that ends with a word.
        end.compress(bytes << 56)
        end.v2 ^= 0xff
        for _ in 0..<4 { end.mix() }
        return end.v0 ^ end.v1 ^ end.v2 ^ end.v3
    }

    @inline(__always)
    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
    }

    @inline(__always)
    private mutating func mix() {
        v0 &+= v1
        v2 &+= v3
        v1 = Self.rotate(v1, 13) ^ v0
        v3 = Self.rotate(v3, 16) ^ v2
        v0 = Self.rotate(v0, 32)
        v2 &+= v1
        v0 &+= v3
        v1 = Self.rotate(v1, 17) ^ v2
        v3 = Self.rotate(v3, 21) ^ v0
        v2 = Self.rotate(v2, 32)
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word &<< count | word &>> (64 &- count) }
}
