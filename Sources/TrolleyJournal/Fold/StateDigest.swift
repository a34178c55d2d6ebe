#if !hasFeature(Embedded)
    internal import Crypto
#endif

/// A short hash of a list's wanted state: equal exactly if the name, the colour, and the wanted items with their
/// fields, in order, are equal byte for byte. `docs/journal.md` defines its input.
///
/// Text form: 32 hexadecimal digits, always written in lower case; upper case is accepted when reading.
public struct StateDigest: Hashable, Sendable {
    private let bits: UUIDBits

    fileprivate init(_ bits: UUIDBits) { self.bits = bits }
}

extension ListState {
    /// The digest of this state. Compression never changes it.
    public var digest: StateDigest {
        StateDigest(name: name, colour: colour, count: wanted.reduce(0) { count, _ in count + 1 }, wanted: wanted)
    }
}

extension StateDigest {
    /// The number of bytes that are hashed at a time.
    private static let piece = 64 << 10

    /// - Parameters:
    ///   - count: the number of wanted items.
    ///   - wanted: the items that are neither deleted nor marked off, in list order.
    init(name: String?, colour: String?, count: Int, wanted: some Swift.Sequence<Item>) {
        var hash = SHA256()
        var bytes = DigestBytes()
        bytes.append(name)
        bytes.append(colour)
        bytes.append(count: count)
        for item in wanted {
            bytes.append(item)
            guard bytes.bytes.count >= Self.piece else { continue }
            hash.update(data: bytes.bytes)
            bytes = DigestBytes(kind: "")
        }
        hash.update(data: bytes.bytes)
        self.init(UUIDBits(bytes: Array(hash.finalize().prefix(16))) ?? UUIDBits(high: 0, low: 0))
    }
}

/// The input of a hash. Every part begins with its length, so that no two states give the same bytes.
struct DigestBytes {
    private(set) var bytes: [UInt8]

    /// - Parameter kind: a prefix for this kind of hash, so that hashes of two kinds are never equal.
    init(kind: String = "trolley-state-1\n") { bytes = Array(kind.utf8) }

    mutating func append(count: Int) {
        let count = UInt32(clamping: count)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }

    mutating func append(_ text: String) {
        text.withBytes { text in
            if !SeededFault.isSeeded(.digestWithoutLengths) { append(count: text.count) }
            bytes.append(contentsOf: text)
        }
    }

    /// An optional text: 0, or 1 and the text.
    mutating func append(_ text: String?) {
        guard let text else { return bytes.append(0) }
        bytes.append(1)
        append(text)
    }

    mutating func append(_ item: Item) {
        bytes.append(contentsOf: item.id.bits.bytes)
        append(item.fields)
    }

    mutating func append(_ fields: Fields) {
        append(count: fields.count)
        for (key, value) in fields {
            append(key)
            append(value)
        }
    }

    private mutating func append(_ value: FieldValue) {
        switch value {
        case .null: bytes.append(0)
        case .string(let text):
            bytes.append(1)
            append(text)
        case .json(let text):
            bytes.append(2)
            append(text)
        }
    }
}

extension StateDigest: LosslessStringConvertible {
    public init?(_ description: String) {
        var digits = Array(description.utf8)
        guard digits.count == 32 else { return nil }
        for index in [20, 16, 12, 8] { digits.insert(UInt8(ascii: "-"), at: index) }
        guard let bits = digits.withUnsafeBufferPointer({ UUIDBits(ascii: $0) }) else { return nil }
        self.init(bits)
    }

    public var description: String {
        bits.description.withBytes { String(decoding: $0.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self) }
    }
}

#if !hasFeature(Embedded)
    extension StateDigest: Codable {
        public init(from decoder: any Decoder) throws { self = try decoder.text("a state digest") }

        public func encode(to encoder: any Encoder) throws { try encoder.text(self) }
    }
#endif
