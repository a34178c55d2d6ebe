/// An entry on one side of a comparison.
public struct EntryMark: Hashable, Sendable {
    public var sequence: SequenceNumber
    public var id: EntryID
    public var hash: EntryHash

    public init(sequence: SequenceNumber, id: EntryID, hash: EntryHash) {
        self.sequence = sequence
        self.id = id
        self.hash = hash
    }
}

/// A place in a stream where the two sides differ.
public struct Divergence: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// Only the other side has an entry here.
        case missingLeft, missingRight
        /// Both sides have an entry here, and the entries differ.
        case differs
    }

    public var sequence: SequenceNumber
    public var kind: Kind
    /// The entry's id; where the entries differ, the left one's.
    public var id: EntryID

    /// All differences up to `last`, in order.
    ///
    /// A missing entry need not be a fault: compression discards entries earlier on one side than on the other, without
    /// changing what is shown. ``firstShown(_:_:through:)`` compares what is shown.
    public static func all(
        _ left: [EntryMark], _ right: [EntryMark], through last: SequenceNumber
    ) -> [Divergence] {
        let left = left.filter { $0.sequence <= last }.sorted { $0.sequence < $1.sequence }
        let right = right.filter { $0.sequence <= last }.sorted { $0.sequence < $1.sequence }
        var divergences: [Divergence] = []
        var (l, r) = (0, 0)
        while l < left.count || r < right.count {
            if r == right.count || l < left.count && left[l].sequence < right[r].sequence {
                divergences.append(Divergence(sequence: left[l].sequence, kind: .missingRight, id: left[l].id))
                l += 1
            } else if l == left.count || right[r].sequence < left[l].sequence {
                divergences.append(Divergence(sequence: right[r].sequence, kind: .missingLeft, id: right[r].id))
                r += 1
            } else {
                if left[l] != right[r] {
                    divergences.append(Divergence(sequence: left[l].sequence, kind: .differs, id: left[l].id))
                }
                (l, r) = (l + 1, r + 1)
            }
        }
        return divergences
    }

    /// The first change after which the two sides show different lists; nil when they show the same in the end.
    ///
    /// Finds it by bisection on the digests: the sides are equal before this change and differ after it.
    public static func firstShown(
        _ left: [ConfirmedEntry], _ right: [ConfirmedEntry], through last: SequenceNumber
    ) -> SequenceNumber? {
        func differ(through sequence: SequenceNumber) -> Bool {
            let (left, right) = (left.filter { $0.sequence <= sequence }, right.filter { $0.sequence <= sequence })
            return ListState(folding: left).digest != ListState(folding: right).digest
        }
        let places = Set((left + right).map { $0.sequence }.filter { $0 <= last }).sorted()
        guard let end = places.last, differ(through: end) else { return nil }
        var (equal, different) = (-1, places.count - 1)
        while different - equal > 1 {
            let middle = (equal + different) / 2
            if differ(through: places[middle]) { different = middle } else { equal = middle }
        }
        return places[different]
    }
}
