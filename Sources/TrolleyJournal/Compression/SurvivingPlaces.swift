/// Finds the new anchors that a journal needs when entries are taken out of it, all at once or step by step.
///
/// An entry is *placing* when folding the whole journal puts its item where it says: the item's first `add`, and each later
/// `add` or `move` that is not earlier made than the one before. Call an item *faithful*, at a moment, when the entry that put
/// it where it is then stays. What holds, by induction over the stream: the folds of the whole journal and of what stays
/// show the faithful items in the same order, and each of them was put there by the same entry.
///
/// - A placing entry that stays is placing in what stays too: it is later made than all before it, so than those of
///   them that stay; and an item's first `add` stays with the item. It makes its item faithful. In both folds the item then
///   stands right behind the same faithful one: its anchor, if that is faithful at this moment, and otherwise its new
///   anchor, which is the nearest faithful item above it in the whole.
/// - A placing entry that goes makes its item unfaithful, which takes it out of the comparison, wherever what stays shows it.
/// - An entry that stays and is not placing was beaten by the one that had placed its item. If that one stays, the entry is
///   beaten in what stays as well. If not, it may place the item there; but then the item is unfaithful, so the comparison
///   doesn't see it, and its anchor doesn't matter.
///
/// In the end each item that survives is faithful, because the latest of its placing entries stays. That an anchor's item
/// survives is not enough: it may have stood elsewhere at the time, and the entry that put it there may go.
///
/// This holds for any set of entries that stays, as long as of each item either nothing stays, or its first `add` and the latest
/// placing entry do. So it holds after each step of a compression, with the anchors that are right for that step.
///
/// Costs O(n log n) for n placing entries, and as much for each anchor found.
struct SurvivingPlaces {
    /// The step with which an entry goes, from 1.
    typealias Step = Int32
    /// The step of an entry that stays.
    static let never = Step.max

    /// A new anchor, from a step on.
    struct Anchor {
        /// The index of the entry.
        let entry: Int
        let step: Step
        /// The item's slot; nil: the top.
        let after: ItemOrder.Slot?
    }

    /// One time that an item was put somewhere. Its number is its order in the stream.
    private struct Placing {
        let entry: Int
        let slot: ItemOrder.Slot
        /// What had put its item where it was; nil for the first.
        let previous: Int?
        /// What had put its anchor's item where it was; nil at the top and at the bottom, which always mean the same place.
        let anchor: Int?
    }

    private var placings: [Placing] = []
    /// For each of them where it stands among all that there ever were. Putting an item elsewhere leaves its old place
    /// as a gap, so that places never change and can be numbered.
    private var places: [Int]

    /// - Parameters:
    ///   - targets: what each entry is about, in the fold of the whole journal.
    ///   - slots: how many slots there are.
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

    /// The new anchors that it takes when each entry goes with its step. In stream order; of one entry, by step.
    /// - Parameters:
    ///   - steps: for each entry.
    ///   - limit: the most anchors to find.
    /// - Returns: nil when there are more.
    func anchors(goingWith steps: [Step], limit: Int = .max) -> [Anchor]? {
        var anchors: [Anchor] = []
        // For each place until when its item is faithful; 0 where it stands no longer.
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
