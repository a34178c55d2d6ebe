/// A shopping trip: a part of a list's journal in which people marked off items in one shop without a long pause.
///
/// Trips are inferred from the journal, so all devices with the same entries have the same trips; see docs/journal.md,
/// 'Trips'.
public struct Trip: Hashable, Sendable {
    /// A pause of this length between two marks ends a trip, in milliseconds.
    public static let maxPause: Int64 = 45 * 60_000
    /// The least number of different items.
    public static let minItems = 3

    /// What was picked, in order; each item once, when it was marked off first. Never empty.
    public private(set) var picks: [Purchase]
    /// The items that were added between the first and the last mark, oldest first, and were bought since or are wanted
    /// still.
    public private(set) var added: [Added]
    /// When the last item was marked off.
    public let end: Timestamp

    /// An item that somebody added during the trip.
    public struct Added: Hashable, Sendable {
        public var item: ItemID
        public var text: String
        public var at: Timestamp
        /// nil if unknown, and on a device without an account.
        public var by: AccountID?
    }

    /// - Parameters:
    ///   - run: purchases without a long pause, in order.
    ///   - additions: all items that were added to the list, in order.
    /// - Returns: nil if there are too few different items.
    fileprivate init?(_ run: [Purchase], _ additions: CountedArray<Added>) {
        guard let first = run.first, let last = run.last else { return nil }
        var seen: Set<ItemID> = []
        // Each purchase of an earlier version, which has no item, counts as an item of its own.
        picks = run.filter { purchase in purchase.item.map { seen.insert($0).inserted } ?? true }
        guard picks.count >= Trip.minItems else { return nil }
        self.end = last.at
        // By bisection: a list may have many trips and many additions.
        let begin = additions.partitioningIndex { $0.at >= first.at }
        let end = additions.partitioningIndex { $0.at > last.at }
        added = begin < end ? Array(additions[begin..<end]) : []
    }
}

extension Trip {
    /// When the first item was marked off.
    public var start: Timestamp { picks.first?.at ?? end }

    /// The time from the first to the last mark, in milliseconds.
    public var duration: Int64 { end.milliseconds - start.milliseconds }

    /// The people who picked something, in the order of their first picks.
    public var people: [AccountID] {
        var seen: Set<AccountID> = []
        return picks.compactMap { $0.author }.filter { seen.insert($0).inserted }
    }

    /// Where it was; nil if nobody said.
    public var shop: String? { picks.first?.shop }

    /// Whether a mark that is made now would belong to another trip.
    public func isOver(at now: Timestamp) -> Bool { end.advanced(byMilliseconds: Trip.maxPause) <= now }

    /// Whether one of these entries marked off what was picked on this trip. Then undoing them takes the trip back piece by
    /// piece.
    public func isUndone(by gesture: some Swift.Sequence<JournalEntry>) -> Bool {
        gesture.contains { entry in
            guard entry.operation == .markOff else { return false }
            // A redone mark brings the purchase back that the first one made.
            return picks.contains { $0.entry == entry.id || entry.cause == .redo && $0.item == entry.item }
        }
    }

    /// The picks of each gesture, in order. The marks of one gesture have no order among themselves.
    var gestures: [[Purchase]] {
        var gestures: [[Purchase]] = []
        for pick in picks {
            if let batch = pick.batch, gestures.last?.last?.batch == batch {
                gestures[gestures.count - 1].append(pick)
            } else {
                gestures.append([pick])
            }
        }
        return gestures
    }
}

extension PurchaseHistory {
    /// The trips, oldest first. The history must be that of one list.
    public var trips: [Trip] {
        var additions = CountedArray<Trip.Added>()
        for addition in self.additions { additions.append(addition) }
        var trips: [Trip] = []
        // Two shops at the same time are two trips.
        var places: [ItemKey: Int] = [:]
        var runs: [[Purchase]] = []
        for purchase in inOrder {
            let shop = (purchase.shop ?? "").itemKey
            let place = places[shop] ?? runs.count
            if place == runs.count {
                places[shop] = place
                runs.append([])
            }
            if let last = runs[place].last, last.at.advanced(byMilliseconds: Trip.maxPause) <= purchase.at {
                if let trip = Trip(runs[place], additions) { trips.append(trip) }
                runs[place] = []
            }
            runs[place].append(purchase)
        }
        for run in runs { if let trip = Trip(run, additions) { trips.append(trip) } }
        return trips.inOrder { left, right in
            left.end == right.end ? left.picks[0].precedes(right.picks[0]) : left.end < right.end
        }
    }
}
