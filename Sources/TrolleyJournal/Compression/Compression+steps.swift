// Carries out a compression in small steps, while other people append.

extension Compression {
    /// The items whose entries are all discarded because the items are finished or had no effect in this journal.
    public func finishedItems(in entries: some Swift.Sequence<ConfirmedEntry>) -> Set<ItemID> {
        let finished = Set(
            discarded.lazy.filter { [.itemDeleted, .itemMarkedOff, .noEffect].contains($0.why) }.map { $0.id })
        return Set(entries.lazy.filter { finished.contains($0.entry.id) }.compactMap { $0.entry.item })
    }

    /// Whether a compression that was computed before `appended` came may still be applied: unless one of these entries
    /// is about an item that will be removed, or is placed below one. (Entries appended *after* a compression are
    /// resolved against the Activity; earlier ones were not.)
    /// - Parameters:
    ///   - appended: the entries appended since, with the anchors that devices receive.
    ///   - finished: ``finishedItems(in:)`` of the journal from which this was computed.
    public static func isStillValid(
        _ appended: some Swift.Sequence<(item: ItemID?, after: ItemID?)>, finished: Set<ItemID>
    ) -> Bool {
        if SeededFault.isSeeded(.stalePlansAreApplied) { return true }
        return appended.allSatisfy { entry in
            !(entry.item.map(finished.contains) ?? false) && !(entry.after.map(finished.contains) ?? false)
        }
    }

    /// The same compression in steps, to be applied one after the other. Each step is a complete compression: it
    /// contains the new anchors that its own discards need. So after each step the journal shows the same, an item has
    /// either all its entries or none, and entries appended then are resolved as after any compression.
    ///
    /// All discarded entries of an item are in one step, because an item without its `delete` would be wanted again. The same
    /// holds for a message.
    /// Items are removed from the top of the list down, so that few entries need a new anchor more than once. All steps
    /// together have at most eight new anchors for each entry of the journal; where smaller steps would need more,
    /// steps are larger.
    /// - Parameters:
    ///   - limit: the number of entries to discard in a step, unless one item has more.
    ///   - entries: the journal from which this was computed.
    public func steps(of limit: Int, in entries: some Swift.Sequence<ConfirmedEntry>) -> [Compression] {
        guard discarded.count > limit else { return [self] }
        let planning = StepPlanner(of: self, in: entries.inStreamOrder())
        var limit = limit
        while limit < discarded.count {
            if let steps = planning.steps(of: limit) { return steps }
            limit *= 2
        }
        return [self]
    }
}

/// A journal and its compression, prepared for ``Compression/steps(of:in:)``.
private struct StepPlanner {
    private let compression: Compression
    private let entries: [ConfirmedEntry]
    private let list: FoldedList
    private let places: SurvivingPlaces
    /// Indices of entries that must be discarded together, in the order in which they are discarded.
    private var groups: [[Int]] = []

    init(of compression: Compression, in entries: [ConfirmedEntry]) {
        self.compression = compression
        self.entries = entries
        var list = FoldedList()
        list.reserveCapacity(entries.count)
        let targets = entries.indices.map { list.fold(entries[$0].entry, at: entries[$0].stamp) }
        self.list = list
        places = SurvivingPlaces(targets, slots: list.items.count)

        var groupOfSlot: [ItemOrder.Slot: Int] = [:]
        var groupOfMessage: [EntryID: Int] = [:]
        var slots: [ItemOrder.Slot?] = []
        // Both are in stream order.
        var next = 0
        for index in entries.indices where next < compression.discarded.count {
            guard let target = targets[index], entries[index].entry.id == compression.discarded[next].id else {
                continue
            }
            next += 1
            if let slot = target.item, let group = groupOfSlot[slot], !SeededFault.isSeeded(.itemsSplitAcrossSteps) {
                groups[group].append(index)
                continue
            }
            if compression.discarded[next - 1].why == .messageDeleted {
                let message = entries[index].entry.message ?? entries[index].entry.id
                if let group = groupOfMessage[message] {
                    groups[group].append(index)
                    continue
                }
                groupOfMessage[message] = groups.count
            }
            if let slot = target.item { groupOfSlot[slot] = groups.count }
            groups.append([index])
            slots.append(target.item)
        }
        let ranks = list.ranks
        let order = groups.indices.sorted { left, right in
            let (first, second) = (slots[left].map { ranks[Int($0)] } ?? -1, slots[right].map { ranks[Int($0)] } ?? -1)
            return (first, left) < (second, right)
        }
        groups = order.map { groups[$0] }
    }

    /// - Returns: nil when steps of this size would need too many new anchors.
    func steps(of limit: Int) -> [Compression]? {
        var stepOfEntry = [SurvivingPlaces.Step](repeating: SurvivingPlaces.never, count: entries.count)
        var step: SurvivingPlaces.Step = 1
        var filled = 0
        for group in groups {
            if filled > 0, filled + group.count > limit { (step, filled) = (step + 1, 0) }
            for index in group { stepOfEntry[index] = step }
            filled += group.count
        }
        guard let anchors = places.anchors(goingWith: stepOfEntry, limit: 8 * entries.count) else { return nil }
        var steps = [Compression](repeating: Compression(discarded: [], anchors: []), count: Int(step))
        var next = 0
        for index in entries.indices where stepOfEntry[index] != SurvivingPlaces.never {
            steps[Int(stepOfEntry[index]) - 1].discarded.append(compression.discarded[next])
            next += 1
        }
        if SeededFault.isSeeded(.anchorsInFirstStep) {
            steps[0].anchors = compression.anchors
            return steps
        }
        for anchor in anchors {
            steps[Int(anchor.step) - 1].anchors.append(Compression.NewAnchor(anchor, in: list, of: entries))
        }
        return steps
    }
}

extension FoldedList {
    /// For each slot its place from the top; -1 for an item that is not in the order.
    fileprivate var ranks: [Int] {
        var ranks = Array(repeating: -1, count: items.count)
        var (next, rank) = (order.top, 0)
        while let slot = next {
            ranks[Int(slot)] = rank
            rank += 1
            next = order.next(after: slot)
        }
        return ranks
    }
}
