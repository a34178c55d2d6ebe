/// The name of an operation that only a later version knows: 1 to 16 bytes of UTF-8, without NUL. It is stored in place, so an
/// entry needs no reference for it.
public struct OperationName: Hashable, Sendable {
    public static let maxBytes = 16

    /// The bytes, from the highest one down; what is left is zero.
    let bits: UUIDBits

    init(bits: UUIDBits) { self.bits = bits }

    /// - Returns: nil if the name is empty, too long, or contains a NUL.
    public init?(_ name: String) {
        var bytes = name.withBytes { Array($0) }
        guard (1...Self.maxBytes).contains(bytes.count), !bytes.contains(0) else { return nil }
        while bytes.count < Self.maxBytes { bytes.append(0) }
        guard let bits = UUIDBits(bytes: bytes) else { return nil }
        self.bits = bits
    }

    public var text: String { String(decoding: bits.bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
