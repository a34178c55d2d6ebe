import FoundationEssentials
import TrolleyJournal

extension Timestamp {
    /// The wall clock. Only for identifiers and names: changes are ordered by the database's clock.
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// 128 random bits from the system, for `version7(at:random:)`.
struct RandomBits {
    static var random: (UInt64, UInt64) { (.random(in: .min ... .max), .random(in: .min ... .max)) }
}
