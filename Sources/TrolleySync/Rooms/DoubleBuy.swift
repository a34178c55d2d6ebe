public import TrolleyJournal

/// Two people have marked off one item at nearly the same time: each may have put it into a trolley.
public struct DoubleBuy: Hashable, Sendable {
    public var item: ItemID
    public var first: AccountID
    public var firstAt: Timestamp
    public var second: AccountID
    public var secondAt: Timestamp
    /// The later entry.
    public var entry: EntryID

    /// Milliseconds between two marks that count as nearly the same time: about the walk between two aisles.
    public static let window: Int64 = 120_000
}

extension DoubleBuy {
    /// Finds them in a journal. It needs no room: it holds as soon as both entries are in the journal, on every device
    /// alike.
    /// - Parameter entries: a list's entries, in any order.
    /// - Returns: in the order of the later mark.
    public static func found(in entries: some Swift.Sequence<ConfirmedEntry>) -> [DoubleBuy] {
        let relevant = entries.filter { $0.entry.operation.changesMark && $0.entry.item != nil }
            .sorted { ($0.madeAt, $0.sequence) < ($1.madeAt, $1.sequence) }
        var marks: [ItemID: ConfirmedEntry] = [:]
        var found: [DoubleBuy] = []
        for entry in relevant {
            guard let item = entry.entry.item else { continue }
            guard entry.entry.operation == .markOff else {
                marks[item] = nil
                continue
            }
            if let earlier = marks[item], earlier.author != entry.author,
                entry.madeAt <= earlier.madeAt.advanced(byMilliseconds: window)
            {
                found.append(
                    DoubleBuy(
                        item: item, first: earlier.author, firstAt: earlier.madeAt, second: entry.author,
                        secondAt: entry.madeAt, entry: entry.entry.id))
            }
            marks[item] = entry
        }
        return found
    }

    /// Finds those that new entries bring.
    /// - Parameters:
    ///   - entries: as above, with the new ones.
    ///   - news: the new entries.
    public static func found(in entries: [ConfirmedEntry], with news: Set<EntryID>) -> [DoubleBuy] {
        let known = Set(found(in: entries.filter { !news.contains($0.entry.id) }))
        return found(in: entries).filter { !known.contains($0) }
    }
}

extension Operation {
    /// Whether an item's mark, or the wish that it answers, begins anew.
    fileprivate var changesMark: Bool { self == .markOff || self == .unmark || self == .add || self == .delete }
}
