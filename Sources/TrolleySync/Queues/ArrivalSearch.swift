public import TrolleyJournal

/// Looks for what came and was finished while nobody looked, before what waits in a list's to-apply queue is shown
/// (``FinishedArrivals``). In two passes over the queue, so that a long one needn't be in memory.
public struct ArrivalSearch: Sendable {
    /// How old what waits must be for compression to look at it, in milliseconds.
    private static let age: Int64 = 3 * 3_600_000

    private let cutOff: Timestamp
    private var finished: Set<ItemID> = []
    private var entries: [ConfirmedEntry] = []

    /// - Parameter received: when the list was fetched last. What happened since isn't known, so age is reckoned from there.
    public init(received: Timestamp) { cutOff = received.advanced(byMilliseconds: -Self.age) }

    /// The first pass: each entry that waits, in order.
    public mutating func look(at entry: ConfirmedEntry) {
        guard entry.receivedAt < cutOff, entry.entry.operation == .markOff || entry.entry.operation == .delete,
            let item = entry.entry.item
        else { return }
        finished.insert(item)
    }

    /// Whether a second pass may find anything.
    public var isPromising: Bool { !finished.isEmpty }

    /// The second pass: the same entries once more.
    public mutating func take(_ entry: ConfirmedEntry) {
        if let item = entry.entry.item, finished.contains(item) { entries.append(entry) }
    }

    /// - Parameter shown: what the device shows.
    public func arrivals(over shown: ListFold) -> FinishedArrivals {
        FinishedArrivals(of: entries, olderThan: cutOff, over: shown)
    }
}
