import TrolleyJournal

/// A number for each item, ascending in list order, by which other programs sort a list (`X-APPLE-SORT-ORDER`).
///
/// An item's number changes only when the item itself is placed again, as its version does: a program that fetches only what
/// has changed must not need new numbers of all other items. An item at the bottom gets the time of its placing, in seconds since
/// 2001, as Apple's programs number new items.
struct SortOrder: Sendable {
    private struct Place {
        var number: Int64
        var previous: ItemID?
        var next: ItemID?
        var madeAt: Timestamp
    }

    private var places: [ItemID: Place] = [:]
    private var top: ItemID?
    private var bottom: ItemID?

    /// The distance from the item below, of an item at the top.
    private static let step: Int64 = 1024
    /// 2001-01-01 in seconds since 1970.
    private static let start: Int64 = 978_307_200

    /// The most bytes that an item takes.
    static let bytesOfItem = 192

    func number(of item: ItemID) -> Int64? { places[item]?.number }

    /// The item directly above, shown or not; nil at the top.
    func previous(to item: ItemID) -> ItemID? { places[item]?.previous }

    /// Places an item as the fold does (`FoldedItem.decidePlace`, `ItemOrder.place`). Entries come in the order of their
    /// sequences.
    mutating func apply(_ entry: ConfirmedEntry) {
        guard entry.entry.operation.places, let item = entry.entry.item else { return }
        if let known = places[item] {
            guard entry.madeAt >= known.madeAt, entry.entry.after != item else { return }
            remove(item)
        } else {
            guard entry.entry.operation == .add else { return }
        }
        let anchor = entry.entry.after
        guard let anchor else { return insert(item, after: nil, entry.madeAt) }
        insert(item, after: places[anchor] == nil ? bottom : anchor, entry.madeAt)
    }

    private mutating func remove(_ item: ItemID) {
        guard let place = places.removeValue(forKey: item) else { return }
        if let previous = place.previous { places[previous]?.next = place.next } else { top = place.next }
        if let next = place.next { places[next]?.previous = place.previous } else { bottom = place.previous }
    }

    private mutating func insert(_ item: ItemID, after previous: ItemID?, _ madeAt: Timestamp) {
        let next = if let previous { places[previous]?.next } else { top }
        let now = madeAt.milliseconds / 1000 - Self.start
        let number: Int64 =
            switch (previous.flatMap { places[$0]?.number }, next.flatMap { places[$0]?.number }) {
            case (nil, nil): now
            case (let above?, nil): max(above + 1, now)
            case (nil, let below?): below - Self.step
            case (let above?, let below?): above + (below - above) / 2
            }
        places[item] = Place(number: number, previous: previous, next: next, madeAt: madeAt)
        if let previous { places[previous]?.next = item } else { top = item }
        if let next { places[next]?.previous = item } else { bottom = item }
    }
}
