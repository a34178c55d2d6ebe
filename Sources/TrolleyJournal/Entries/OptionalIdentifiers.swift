/// Optional identifiers, packed: one bit for each says whether it is present, since every bit pattern is a valid UUID.
struct OptionalIdentifiers: Hashable, Sendable {
    // Zero if absent, so that equal values have equal bits.
    var item = UUIDBits(high: 0, low: 0)
    var after = UUIDBits(high: 0, low: 0)
    var batch = UUIDBits(high: 0, low: 0)
    var reverts = UUIDBits(high: 0, low: 0)
    private var present = Present()

    struct Present: OptionSet, Hashable, Sendable {
        var rawValue: UInt8 = 0

        static let item = Present(rawValue: 1)
        static let after = Present(rawValue: 2)
        static let batch = Present(rawValue: 4)
        static let reverts = Present(rawValue: 8)
    }

    func get<ID: Identifier>(_ bits: UUIDBits, _ which: Present) -> ID? {
        present.contains(which) ? ID(bits) : nil
    }

    /// Notes whether there is one.
    /// - Returns: the bits to keep in its place.
    mutating func note(_ id: (some Identifier)?, as which: Present) -> UUIDBits {
        if id == nil { present.remove(which) } else { present.insert(which) }
        return id?.bits ?? UUIDBits(high: 0, low: 0)
    }
}
