/// A duration as people write it in a command: a whole number and `d`, `h`, `m` or `s`, as in `14d`.
public struct Age: Hashable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public init(days: Int64) { self.init(milliseconds: days * 86_400_000) }
}

extension Age: LosslessStringConvertible {
    private static let units: [(name: Character, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
    ]

    public init?(_ description: String) {
        guard let unit = Self.units.first(where: { $0.name == description.last }),
            let number = Int64(description.dropLast()), number >= 0
        else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        guard !overflow else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// In the largest unit that divides it; fractions of a second are dropped.
    public var description: String {
        let unit = Self.units.first { milliseconds.isMultiple(of: $0.milliseconds) } ?? ("s", 1000)
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
