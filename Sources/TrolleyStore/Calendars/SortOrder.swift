import TrolleyJournal

/// A number for each item, ascending in list order, by which other programs sort a list (`X-APPLE-SORT-ORDER`).
///
/// An item's number changes only when the item itself is placed again, as its version does: a program that fetches only what
/// has changed must not need new numbers of all other items. A new item has the number that its program gave it, if that number
/// fits between the neighbours' and isn't later than the time of its placing (decision 3203). Another item at the bottom gets that
/// time, in seconds since 2001, as Apple's programs number new items.
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
    /// The least number of a program's own: JSON's numbers are exact up to here.
    private static let least: Int64 = -(1 << 53)
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
        let place = anchor.flatMap { places[$0] == nil ? bottom : $0 }
        insert(item, after: place, entry.madeAt, wanted: Self.number(wantedBy: entry.entry))
    }

    private static func number(wantedBy entry: JournalEntry) -> Int64? {
        guard entry.operation == .add, let text = entry.fields[CalendarField.order]?.string else { return nil }
        return Int64(text)
    }

    private mutating func remove(_ item: ItemID) {
        guard let place = places.removeValue(forKey: item) else { return }
        if let previous = place.previous { places[previous]?.next = place.next } else { top = place.next }
        if let next = place.next { places[next]?.previous = place.previous } else { bottom = place.previous }
    }

    private mutating func insert(_ item: ItemID, after previous: ItemID?, _ madeAt: Timestamp, wanted: Int64?) {
        let next = if let previous { places[previous]?.next } else { top }
        let now = madeAt.milliseconds / 1000 - Self.start
        let above = previous.flatMap { places[$0]?.number }
        let below = next.flatMap { places[$0]?.number }
        let number: Int64 =
            switch (above, below) {
            case (nil, nil): now
            case (let above?, nil): max(above + 1, now)
            case (nil, let below?): below - Self.step
            case (let above?, let below?): above + (below - above) / 2
            }
        let fitting: Int64? = wanted.flatMap { wanted in
            let isBetween = wanted > above ?? .min && wanted < below ?? .max
            return isBetween && wanted >= Self.least && wanted <= now ? wanted : nil
        }
        places[item] = Place(number: fitting ?? number, previous: previous, next: next, madeAt: madeAt)
        if let previous { places[previous]?.next = item } else { top = item }
        if let next { places[next]?.previous = item } else { bottom = item }
    }
}
