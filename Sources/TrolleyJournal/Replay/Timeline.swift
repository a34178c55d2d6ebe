/// Everything that ever happened to a list, to be looked at as it was at any moment.
///
/// Made from the Activity, which compression never touches. `state(through:)` starts at the nearest of a few checkpoints,
/// or where it was last; moving on by one change costs one change.
public struct Timeline: Sendable {
    /// In stream order, each entry once.
    public let entries: [ConfirmedEntry]
    /// The folds after every `interval` entries.
    private var checkpoints: [FoldedList] = [FoldedList()]
    private let interval: Int
    /// The state that was asked for last.
    private var cursor: (count: Int, list: FoldedList) = (0, FoldedList())

    /// A checkpoint holds every item that the list had until then, so there are only so many.
    private static let mostCheckpoints = 24
    private static let shortestInterval = 500

    /// - Parameter activity: all entries of a list, in any order.
    public init(_ activity: some Swift.Sequence<ConfirmedEntry>) {
        let sorted = activity.inStreamOrder()
        self.init(sorted, interval: max(Timeline.shortestInterval, sorted.count / Timeline.mostCheckpoints))
    }

    init(_ sorted: [ConfirmedEntry], interval: Int) {
        self.interval = interval
        var list = FoldedList()
        var entries: [ConfirmedEntry] = []
        entries.reserveCapacity(sorted.count)
        for entry in sorted where list.fold(entry.entry, at: entry.stamp) != nil {
            entries.append(entry)
            if entries.count.isMultiple(of: interval) { checkpoints.append(list) }
        }
        self.entries = entries
        cursor = (entries.count, list)
    }

    /// What the list showed when everything up to and including this sequence, and nothing later, had been confirmed.
    public mutating func state(through sequence: SequenceNumber) -> ListState {
        list(through: sequence).state
    }

    /// The last change that the server had received at a moment; `start` when there was none.
    public func sequence(at time: Timestamp) -> SequenceNumber {
        entries.last { $0.receivedAt <= time }?.sequence ?? .start
    }

    mutating func list(through sequence: SequenceNumber) -> FoldedList {
        let count = entries.partitioningIndex { $0.sequence > sequence }
        let checkpoint = count / interval
        if cursor.count > count || cursor.count < checkpoint * interval {
            cursor = (checkpoint * interval, checkpoints[min(checkpoint, checkpoints.count - 1)])
        }
        while cursor.count < count {
            let entry = entries[cursor.count]
            cursor.list.fold(entry.entry, at: entry.stamp)
            cursor.count += 1
        }
        return cursor.list
    }
}

extension Array {
    /// The first index whose element is in the second half, of elements of which those that are not come first.
    func partitioningIndex(where isInSecondHalf: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isInSecondHalf(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
