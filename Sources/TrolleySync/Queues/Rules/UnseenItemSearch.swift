public import TrolleyJournal

/// Finds items that were added and finished before the person saw them, among the entries of a list's to-apply queue
/// (``FinishedUnseenItems``). It reads the queue twice, so that a long queue need not be in memory.
public struct UnseenItemSearch: Sendable {
    /// The age from which entries are considered, in milliseconds.
    private static let age: Int64 = 3 * 3_600_000

    private let cutOff: Timestamp
    private var finished: Set<ItemID> = []
    private var entries: [ConfirmedEntry] = []

    /// - Parameter received: when the list was last fetched. Ages count from that time, because later changes are
    ///   unknown.
    public init(received: Timestamp) { cutOff = received.advanced(byMilliseconds: -Self.age) }

    /// The first pass: takes each waiting entry, in order.
    public mutating func scan(_ entry: ConfirmedEntry) {
        guard entry.receivedAt < cutOff, entry.entry.operation == .markOff || entry.entry.operation == .delete,
            let item = entry.entry.item
        else { return }
        finished.insert(item)
    }

    /// Whether a second pass can find anything.
    public var needsSecondPass: Bool { !finished.isEmpty }

    /// The second pass: takes the same entries again.
    public mutating func collect(_ entry: ConfirmedEntry) {
        if let item = entry.entry.item, finished.contains(item) { entries.append(entry) }
    }

    /// - Parameter shown: the list as it is shown.
    public func unseenItems(over shown: ListFold) -> FinishedUnseenItems {
        FinishedUnseenItems(of: entries, olderThan: cutOff, over: shown)
    }
}
