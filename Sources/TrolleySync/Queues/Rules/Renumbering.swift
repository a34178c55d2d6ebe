/// Numbers the entries of a list's upload queue for a new device, in their order.
public struct Renumbering: Hashable, Sendable {
    /// The last number of the device's counter; 0: none was given.
    public private(set) var last: Int64 = 0

    public init() {}

    /// - Parameters:
    ///   - number: the entry's number until now.
    ///   - isSent: whether it was sent before. It keeps its number then: the service may have it, and its content must
    ///     not change.
    ///   - isOffered: whether it is offered again. It may have the number of another device, which is independent of
    ///     this one's.
    /// - Returns: the entry's new number; nil if it keeps its own.
    public mutating func number(_ number: Int64, isSent: Bool, isOffered: Bool) -> Int64? {
        if isOffered { return nil }
        if isSent {
            last = max(last, number)
            return nil
        }
        last += 1
        return last
    }
}
