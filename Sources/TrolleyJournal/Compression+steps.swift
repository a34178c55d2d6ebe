// Carrying a compression out while others go on appending, a little at a time.

extension Compression {
    /// Items all of which goes: as far as this journal shows nobody will miss them.
    public func finishedItems(in entries: some Swift.Sequence<ConfirmedEntry>) -> Set<ItemID> {
        let finished = Set(
            discarded.lazy.filter { [.itemDeleted, .itemMarkedOff, .noEffect].contains($0.why) }.map(\.id))
        return Set(entries.lazy.filter { finished.contains($0.entry.id) }.compactMap(\.entry.item))
    }

    /// Whether a compression that was worked out before `appended` came may still be applied: it may, unless one of them
    /// is about an item that is to go, or stands behind one. (What is appended *after* a compression is resolved
    /// against the Activity; what came before it was not.)
    /// - Parameters:
    ///   - appended: what has been appended since, with the anchors that devices get.
    ///   - finished: ``finishedItems(in:)`` of the journal that this was worked out from.
    public static func holds(
        _ appended: some Swift.Sequence<(item: ItemID?, after: ItemID?)>, finished: Set<ItemID>
    ) -> Bool {
        if Mistake.isMade(.stalePlans) { return true }
        return appended.allSatisfy { entry in
            !(entry.item.map(finished.contains) ?? false) && !(entry.after.map(finished.contains) ?? false)
        }
    }

    /// The same in steps, to be applied one after the other; after each of them the list shows the same.
    ///
    /// New anchors come first, all at once: from then on nothing that stays stands behind something that goes, and
    /// with one anchor changed and not its neighbour's their order would turn round. What is discarded of an item
    /// goes at once, because an item whose deletion is gone would be wanted again.
    /// - Parameters:
    ///   - limit: entries to discard in a step, where one item has no more than that.
    ///   - entries: the journal that this was worked out from.
    public func steps(of limit: Int, in entries: some Swift.Sequence<ConfirmedEntry>) -> [Compression] {
        guard discarded.count > limit else { return [self] }
        let items = Dictionary(
            entries.lazy.map { ($0.entry.id, $0.entry.item) }, uniquingKeysWith: { first, _ in first })
        var groups: [[Discard]] = []
        var groupOfItem: [ItemID: Int] = [:]
        for discard in discarded {
            let item = Mistake.isMade(.tornItems) ? nil : items[discard.id].flatMap(\.self)
            if let group = item.flatMap({ groupOfItem[$0] }) {
                groups[group].append(discard)
                continue
            }
            if let item { groupOfItem[item] = groups.count }
            groups.append([discard])
        }
        var steps = [Compression(discarded: [], anchors: anchors)]
        for group in groups {
            let filled = steps[steps.count - 1].discarded.count
            if filled > 0, filled + group.count > limit { steps.append(Compression(discarded: [], anchors: [])) }
            steps[steps.count - 1].discarded += group
        }
        return steps
    }
}
