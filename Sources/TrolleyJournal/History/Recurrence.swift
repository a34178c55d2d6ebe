/// How often a thing is bought again, as a person has set it: whole days.
public struct Recurrence: Hashable, Sendable {
    public let days: Int

    public static let maxDays = 3650
    /// It is due on its day, and not only at the hour of the last purchase: this much earlier, in milliseconds.
    private static let lead: Int64 = 12 * 3_600_000

    /// nil unless it is 1 to ``maxDays``.
    public init?(days: Int) {
        guard (1...Self.maxDays).contains(days) else { return nil }
        self.days = days
    }

    /// The value of the field ``Fields/every``: an ISO 8601 duration of days or weeks, `P7D` or `P2W`.
    public init?(_ field: FieldValue?) {
        guard let bytes = field?.string.map({ Array($0.utf8) }), bytes.first == UInt8(ascii: "P") else { return nil }
        self.init(digits: bytes.dropFirst())
    }

    /// What a person writes: `7d`, `2w`, `7` or `P7D`.
    public init?(written text: String) {
        let bytes = Array(text.utf8)[...]
        guard bytes.last?.isDigit != true else {
            self.init(digits: bytes + [UInt8(ascii: "D")])
            return
        }
        self.init(
            digits: bytes.first == UInt8(ascii: "P") || bytes.first == UInt8(ascii: "p") ? bytes.dropFirst() : bytes)
    }

    /// - Parameter digits: `7D`, `2W`, in upper or lower case.
    private init?(digits bytes: ArraySlice<UInt8>) {
        let digits = bytes.prefix { $0.isDigit }
        guard (1...4).contains(digits.count), bytes.count == digits.count + 1, let unit = bytes.last else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        switch unit | 0x20 {
        case UInt8(ascii: "d"): self.init(days: number)
        case UInt8(ascii: "w"): self.init(days: number * 7)
        default: return nil
        }
    }

    /// The value of the field ``Fields/every``.
    public var field: FieldValue { .string(String(joining: "P", String(days), "D")) }

    /// When a thing that was bought then is due.
    func due(after last: Timestamp) -> Timestamp {
        last.advanced(byMilliseconds: Int64(days) * 86_400_000 - Self.lead)
    }
}
