/// Finds the new anchors that a journal needs when entries are discarded, all at once or step by step.
///
/// An entry is *placing* when folding the complete journal puts its item where the entry says: the item's first `add`,
/// and each later `add` or `move` that is later than the entry that placed the item before. An item is *faithful*, at a
/// moment, when the entry that placed it last stays. By induction over the stream, the fold of the complete journal and
/// the fold of the remaining entries show the faithful items in the same order, each placed by the same entry.
///
/// - A placing entry that stays is also placing among the remaining entries: it is later than all entries that placed
///   the item before, and an item's first `add` stays with the item. It makes its item faithful. In both folds the item
///   then stands directly below the same faithful item: its anchor, if that is faithful at this moment, and otherwise
///   its new anchor, the nearest faithful item above it in the complete fold.
/// - A placing entry that is discarded makes its item unfaithful, which takes the item out of the comparison.
/// - An entry that stays and is not placing was beaten by the entry that had placed its item. If that entry stays, it
///   also wins among the remaining entries. If not, the entry may place the item there; but then the item is
///   unfaithful, so it is outside the comparison, and its anchor doesn't matter.
///
/// In the end each remaining item is faithful, because the latest of its placing entries stays. It is not enough that
/// an anchor's item remains: the item may have stood elsewhere at the time, and the entry that put it there may be
/// discarded.
///
/// This holds for any set of remaining entries, provided that of each item either none remains, or its first `add` and
/// its latest placing entry do. So it holds after each step of a compression, with the anchors for that step.
///
/// Takes O(n log n) for n placing entries, and O(log n) for each anchor.
struct SurvivingPlaces {
    /// The step that discards an entry, counted from 1.
    typealias Step = Int32
    /// The step of an entry that stays.
    static let never = Step.max

    /// A new anchor, valid from a step on.
    struct Anchor {
        /// The index of the entry.
        let entry: Int
        let step: Step
        /// The item's slot; nil: the top.
        let after: ItemOrder.Slot?
    }

    /// One placement of an item. Its number is its order in the stream.
    private struct Placing {
        let entry: Int
        let slot: ItemOrder.Slot
        /// The placement of the same item before; nil for the first.
        let previous: Int?
        /// The placement of the anchor's item at that moment; nil at the top and at the bottom, which are always the
        /// same place.
        let anchor: Int?
    }

    private var placings: [Placing] = []
    /// For each placement, its rank among all placements. Moving an item leaves a gap at its old place, so that places
    /// never change and can be numbered.
    private var places: [Int]

    /// - Parameters:
    ///   - targets: the target of each entry, in the fold of the complete journal.
    ///   - slots: the number of slots.
    init(_ targets: [FoldedList.Target?], slots: Int) {
        var order = ItemOrder()
        var latest = [Int32](repeating: -1, count: slots)
        func placing(of slot: ItemOrder.Slot) -> Int? { latest[Int(slot)] < 0 ? nil : Int(latest[Int(slot)]) }
        for index in targets.indices {
            guard let target = targets[index], target.isPlaced, let slot = target.item else { continue }
            var anchor: Int?
            if case .slot(let other) = target.anchor, other != slot { anchor = placing(of: other) }
            let number = ItemOrder.Slot(placings.count)
            if case .top = target.anchor {
                order.insert(number, after: nil)
            } else {
                order.insert(number, after: anchor.map { ItemOrder.Slot($0) } ?? order.bottom)
            }
            placings.append(Placing(entry: index, slot: slot, previous: placing(of: slot), anchor: anchor))
            latest[Int(slot)] = number
        }
        places = Array(repeating: 0, count: placings.count)
        var (next, place) = (order.top, 0)
        while let number = next {
            places[Int(number)] = place
            place += 1
            next = order.next(after: number)
        }
    }

    /// The new anchors that are needed when each entry is discarded in its step. In stream order; for one entry, by
    /// step.
    /// - Parameters:
    ///   - steps: the step of each entry.
    ///   - limit: the largest number of anchors to find.
    /// - Returns: nil when more are needed.
    func anchors(goingWith steps: [Step], limit: Int = .max) -> [Anchor]? {
        var anchors: [Anchor] = []
        // For each place, the step until which its item is faithful; 0 where the item is no longer there.
        var tree = MaximumTree(count: placings.count)
        var numbers = Array(repeating: 0, count: placings.count)
        for number in placings.indices { numbers[places[number]] = number }
        for number in placings.indices {
            let placing = placings[number]
            if let previous = placing.previous { tree[places[previous]] = 0 }
            let end = steps[placing.entry]
            var good = placing.anchor.map { tree[places[$0]] } ?? SurvivingPlaces.never
            while good < end {
                let place = tree.nearest(before: places[number], above: good)
                if anchors.count == limit { return nil }
                anchors.append(
                    Anchor(entry: placing.entry, step: good, after: place.map { placings[numbers[$0]].slot }))
                good = place.map { tree[$0] } ?? SurvivingPlaces.never
            }
            tree[places[number]] = end
        }
        return anchors
    }
}
