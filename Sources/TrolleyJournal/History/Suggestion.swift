/// A suggestion to add an item, from its purchases.
public struct Suggestion: Hashable, Sendable {
    /// The item's latest text.
    public var text: String
    /// The quantity of the last purchase.
    public var quantity: String?
    public var aisle: String?
    /// The number of purchases; marks within twelve hours count once.
    public var count: Int
    public var last: Timestamp
    /// The median time between two purchases, in milliseconds; nil after a single purchase.
    public var interval: Int64?
    /// How often it is bought, as a person has set it.
    public var every: Recurrence?

    /// The time of the next purchase: as a person has set it, otherwise estimated.
    public var due: Timestamp? { every?.due(after: last) ?? interval.map { last.advanced(byMilliseconds: $0) } }

    public func isDue(at now: Timestamp) -> Bool { due.map { $0 <= now } ?? false }
}

extension PurchaseHistory {
    /// Purchases closer to each other count as one, in milliseconds.
    private static let sameTime: Int64 = 12 * 3_600_000

    /// Suggestions for a list: due items first. Within both groups, items with more purchases come first, then items with
    /// later purchases.
    /// - Parameters:
    ///   - state: the list. Its wanted items are not suggested; its marked-off items may be.
    ///   - prefix: only texts with a word that begins with this, in upper or lower case.
    public func suggestions(
        for state: ListState, at now: Timestamp, beginningWith prefix: String = "", limit: Int = .max
    ) -> [Suggestion] {
        var taken: Set<ItemKey> = []
        for item in state.wanted { taken.insert(item.text.itemKey) }
        var byKey: [ItemKey: [Purchase]] = [:]
        for purchase in purchases { byKey[purchase.text.itemKey, default: []].append(purchase) }
        let pattern = BytePattern(prefix.itemKey.text)
        var suggestions: [Suggestion] = []
        for (key, purchases) in byKey where !taken.contains(key) && pattern.beginsWord(of: key.text) {
            if let suggestion = Suggestion(purchases, sameTime: Self.sameTime) { suggestions.append(suggestion) }
        }
        suggestions.sort { left, right in
            let (leftDue, rightDue) = (left.isDue(at: now), right.isDue(at: now))
            if leftDue != rightDue { return leftDue }
            // What somebody has asked for precedes what is estimated.
            if leftDue, (left.every == nil) != (right.every == nil) { return left.every != nil }
            if left.count != right.count { return left.count > right.count }
            if left.last != right.last { return left.last > right.last }
            return left.text.bytesPrecede(right.text)
        }
        return Array(suggestions.prefix(limit))
    }
}

extension Suggestion {
    /// - Parameter purchases: the purchases of one item.
    fileprivate init?(_ purchases: [Purchase], sameTime: Int64) {
        let sorted = purchases.sorted { $0.at < $1.at || ($0.at == $1.at && $0.entry < $1.entry) }
        guard let latest = sorted.last else { return nil }
        var gaps: [Int64] = []
        var counted = sorted[0].at
        for purchase in sorted.dropFirst() {
            let gap = purchase.at.milliseconds - counted.milliseconds
            guard gap >= sameTime else { continue }
            gaps.append(gap)
            counted = purchase.at
        }
        gaps.sort()
        text = latest.text
        quantity = latest.quantity
        aisle = latest.aisle
        every = latest.every
        count = gaps.count + 1
        last = latest.at
        interval = gaps.isEmpty ? nil : gaps[gaps.count / 2]
    }
}
