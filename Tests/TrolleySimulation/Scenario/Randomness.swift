package import TrolleyJournal

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed. `SeededGenerator` is the same, but its target brings
/// the SDK, which a release build of the simulation doesn't need.
package struct Randomness: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 ..< bound.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// True with this probability, in percent.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }

    package mutating func identifier<ID: Identifier>(at time: Timestamp, _ type: ID.Type = ID.self) -> ID {
        .version7(at: time, random: (next(), next()))
    }
}
