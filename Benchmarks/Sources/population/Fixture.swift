import TrolleyJournal

/// The rows that `comparison/fixtures/*.sql` put into the database, by number, from 1.
enum Fixture {
    static func list(_ number: Int) -> ListID { ListID(UUIDBits(high: 0x7000, low: 0x8000 << 48 | UInt64(number))) }

    static func account(_ number: Int) -> AccountID {
        AccountID(UUIDBits(high: 0x0000_0001_0000_7000, low: 0x8000 << 48 | UInt64(number)))
    }

    static func device(_ number: Int) -> DeviceID {
        DeviceID(UUIDBits(high: 0x0000_0002_0000_7000, low: 0x8000 << 48 | UInt64(number)))
    }

    /// The bearer token of a device.
    static func token(_ number: Int) -> String {
        let digits = String(number)
        return "benchmark-" + String(repeating: "0", count: 33 - digits.count) + digits
    }
}

/// SplitMix64: the same seed, the same numbers.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
