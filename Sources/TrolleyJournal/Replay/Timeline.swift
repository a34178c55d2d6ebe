/// A list's state at any moment of its history.
///
/// It is made from the Activity, which compression never touches. `state(through:)` starts at the nearest checkpoint or
/// at the last position. Advancing by one change folds one change.
public struct Timeline: Sendable {
    /// In stream order, each entry once.
    public let entries: [ConfirmedEntry]
    /// The folds after every `interval` entries.
    private var checkpoints: [FoldedList] = [FoldedList()]
    private let interval: Int
    /// The position and state of the last request.
    private var cursor: (count: Int, list: FoldedList) = (0, FoldedList())

    /// A checkpoint holds every item that the list had until then, so their number is limited.
    private static let maxCheckpoints = 24
    private static let minCheckpointInterval = 500

    /// - Parameter activity: all entries of a list, in any order.
    public init(_ activity: some Swift.Sequence<ConfirmedEntry>) {
        let sorted = activity.inStreamOrder()
        self.init(sorted, interval: max(Timeline.minCheckpointInterval, sorted.count / Timeline.maxCheckpoints))
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

    /// The list's state when everything up to and including this sequence, and nothing later, had been confirmed.
    /// - Parameter pending: unconfirmed entries to fold after them.
    public mutating func state(through sequence: SequenceNumber, pending: [PendingEntry] = []) -> ListState {
        var list = list(through: sequence)
        if !pending.isEmpty { list.fold(pending) }
        return list.state
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

extension RandomAccessCollection where Index == Int {
    /// The index of the first element of the second half. The elements must be partitioned.
    func partitioningIndex(where isInSecondHalf: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isInSecondHalf(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
