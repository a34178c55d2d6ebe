/// The place of a change in a list's stream: 1, 2, 3 …, assigned by the server, without gaps. `start` is before the
/// first.
public struct SequenceNumber: Hashable, Comparable, Sendable, Codable, RawRepresentable {
    public let rawValue: Int64

    @inlinable
    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static let start = SequenceNumber(rawValue: 0)

    @inlinable
    public static func < (left: SequenceNumber, right: SequenceNumber) -> Bool { left.rawValue < right.rawValue }

    /// The place `count` changes later, clamped to the range of Int64.
    public func advanced(by count: Int) -> SequenceNumber {
        let (sum, overflow) = rawValue.addingReportingOverflow(Int64(count))
        return SequenceNumber(rawValue: overflow ? (count < 0 ? .min : .max) : sum)
    }
}
