/// A key for one or more words, without the space between them: 'ice cream', 'ice-cream' and 'icecream' have one key (FNV-1a,
/// 64 bits).
struct CatalogueKey: Hashable, Sendable {
    private var bits: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    init(_ word: some Swift.Sequence<UInt8>) { append(word) }

    mutating func append(_ word: some Swift.Sequence<UInt8>) {
        for byte in word { bits = (bits ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
