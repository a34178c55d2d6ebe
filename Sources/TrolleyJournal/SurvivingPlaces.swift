/// Goes through a journal that is being compressed and finds, for each placing entry that stays, whether its anchor still
/// means the same place.
///
/// Call an item *faithful*, at a moment, when the entry that put it where it is then stays. What holds, by induction
/// over the entries: the folds of the whole and of the compressed journal show the faithful items in the same order.
/// An entry that stays puts its item right behind a faithful one in both; an entry that goes makes its item unfaithful,
/// which takes it out of the comparison, wherever the compressed fold still shows it. In the end every item that
/// survives is faithful, since its last placing entry stays. So an anchor is good exactly if it is faithful at the
/// moment when its entry is folded; otherwise the nearest earlier faithful neighbour takes its place. That the anchor's
/// item survives is not enough: it may have stood elsewhere at the time, and the entry that put it there may go.
struct SurvivingPlaces {
    private let list: FoldedList
    private var order = ItemOrder()
    private var isAdded: [Bool]
    private var isFaithful: [Bool]

    /// - Parameter list: the fold of the whole journal; says which item has which slot.
    init(in list: FoldedList) {
        self.list = list
        isAdded = Array(repeating: false, count: list.items.count)
        isFaithful = isAdded
    }

    /// Follows one entry, in stream order.
    /// - Returns: a new anchor, if the entry stays and needs one.
    mutating func follow(
        _ entry: JournalEntry, to target: FoldedList.Target, stays: Bool
    ) -> Compression.NewAnchor? {
        guard entry.operation.places, let slot = target.item else { return nil }
        if entry.operation == .add { isAdded[Int(slot)] = true }
        guard isAdded[Int(slot)] else { return nil }

        let isGood = isGood(target.anchor)
        order.place(slot, after: target.anchor)
        isFaithful[Int(slot)] = stays
        guard stays, !isGood else { return nil }
        let neighbour = order.nearest(before: slot) { isFaithful[Int($0)] }
        return Compression.NewAnchor(id: entry.id, after: neighbour.map { list[$0].id })
    }

    /// The top and the bottom, which is where an anchor points that is not in the list, always mean the same place.
    private func isGood(_ anchor: ItemOrder.Anchor) -> Bool {
        guard case .slot(let slot) = anchor, order.contains(slot) else { return true }
        return isFaithful[Int(slot)]
    }
}

extension ItemOrder {
    /// The nearest one above a slot for which the condition holds; nil when there is none.
    func nearest(before slot: Slot, where condition: (Slot) -> Bool) -> Slot? {
        var candidate = previous(to: slot)
        while let slot = candidate, !condition(slot) { candidate = previous(to: slot) }
        return candidate
    }
}
