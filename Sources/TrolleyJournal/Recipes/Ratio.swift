/// A number that is not negative, as a fraction in lowest terms.
struct Ratio: Hashable, Sendable {
    let above: Int
    let below: Int

    /// - Parameter below: not 0.
    init(_ above: Int, _ below: Int = 1) {
        var (a, b) = (above, below)
        while b != 0 { (a, b) = (b, a % b) }
        self.above = above / max(a, 1)
        self.below = below / max(a, 1)
    }

    /// nil if the numbers become too large.
    func times(_ other: Ratio) -> Ratio? {
        let (above, overflowsAbove) = above.multipliedReportingOverflow(by: other.above)
        let (below, overflowsBelow) = below.multipliedReportingOverflow(by: other.below)
        return overflowsAbove || overflowsBelow ? nil : Ratio(above, below)
    }

    func plus(_ other: Ratio) -> Ratio { Ratio(above * other.below + other.above * below, below * other.below) }

    static func < (left: Ratio, right: Ratio) -> Bool { left.above * right.below < right.above * left.below }
}
