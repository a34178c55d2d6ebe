/// Makes appending to a compressed journal give the same list as appending to the complete one.
///
/// When an entry names an item that compression has removed, only the Activity knows the item and its place. The server
/// asks this resolver. Its answer goes into the live journal and to every device; the Activity gets the entry as it was
/// sent. Answers depend on the list's present state. So a map from removed items to their neighbours, made when they
/// were removed, would not do: other items may have been placed below those neighbours since.
///
/// Takes O(n) for n entries of the Activity. Resolving an entry takes time for the entries about its item and for all
/// items that the entries name, independent of the list's length.
public struct AppendResolver: Sendable {
    /// The fold of the Activity.
    private var whole: FoldedList
    private var activity = CountedArray<ConfirmedEntry>()
    /// For each entry of the Activity, the previous entry about the same item; -1 for the first.
    private var previous: [Int32] = []
    /// For each slot, the last entry about its item; -1 for none.
    private var latest: [Int32] = []
    /// Items that have an `add` in the live journal.
    private var live: Set<ItemID> = []
    private var liveEntries: Set<EntryID> = []
    /// Items that were brought back. All their winning entries are live and stay live.
    private var restoredItems: Set<ItemID> = []

    /// The entries to append, in this order.
    public struct Resolution: Hashable, Sendable {
        /// Live entries to discard first; `restored` contains them again. They are about a removed item, came after it
        /// was removed, and had no effect.
        public var relocated: [EntryID] = []
        /// Entries from the Activity that bring an item back, oldest first. They get the stream's next sequences (the
        /// ones given here are their first) and are otherwise unchanged.
        public var restored: [ConfirmedEntry] = []
        /// The entry itself, with an anchor that is in the live journal.
        public var entry: ConfirmedEntry
    }

    /// - Parameters:
    ///   - activity: every entry that the list ever had, as it was sent.
    ///   - live: the entries that compression has left.
    ///   - entries: the only entries that will be resolved; nil: not known yet.
    public init(
        activity: some Swift.Sequence<ConfirmedEntry>, live: some Swift.Sequence<ConfirmedEntry>,
        resolving entries: [JournalEntry]? = nil
    ) {
        whole = FoldedList()
        let activity = activity.inStreamOrder()
        whole.reserveCapacity(activity.count)
        for index in activity.indices { append(activity[index], at: activity[index].stamp) }
        for entry in live { noteLive(entry.entry) }
        // Only the places of these items are needed. Other items would lengthen the walk to the nearest live one.
        if let entries {
            whole.keepPlaces(of: self.live.union(entries.lazy.flatMap { [$0.item, $0.after].compactMap { $0 } }))
        }
    }

    private mutating func append(_ entry: ConfirmedEntry, at stamp: Stamp) {
        guard let target = whole.fold(entry.entry, at: stamp) else { return }
        let index = Int32(activity.count)
        activity.append(entry)
        guard let slot = target.item.map({ Int($0) }) else { return previous.append(-1) }
        while latest.count <= slot { latest.append(-1) }
        previous.append(latest[slot])
        latest[slot] = index
    }

    private mutating func noteLive(_ entry: JournalEntry) {
        liveEntries.insert(entry.id)
        if entry.operation == .add, let item = entry.item { live.insert(item) }
    }

    /// All entries of the Activity about an item, in stream order.
    private func entries(about slot: ItemOrder.Slot) -> [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        var next = latest[Int(slot)]
        while next >= 0 {
            entries.append(activity[Int(next)])
            next = previous[Int(next)]
        }
        return entries.reversed()
    }

    /// Whether an entry needs a resolver; most don't.
    /// - Parameter isPurged: whether the Activity has entries about an item whose `add` the live journal lacks.
    public static func isNeeded(for entry: JournalEntry, isPurged: (ItemID) -> Bool) -> Bool {
        if entry.operation.wantsItem, let item = entry.item, isPurged(item) { return true }
        if entry.operation.places, let after = entry.after, isPurged(after) { return true }
        return false
    }

    /// Resolves the next entry and records it. Entries must be given in the order in which they are appended.
    public mutating func resolve(_ entry: ConfirmedEntry) -> Resolution {
        var resolution = Resolution(entry: entry)
        if entry.entry.operation.wantsItem, let item = entry.entry.item, !live.contains(item) {
            restoreItem(item, in: &resolution)
        }
        resolution.entry.entry.after = liveAnchor(of: entry.entry)

        let sequence = max(entry.sequence, whole.last.advanced(by: 1))
        append(entry, at: Stamp(madeAt: entry.madeAt, sequence: sequence))
        noteLive(entry.entry)
        return resolution
    }

    private mutating func restoreItem(_ item: ItemID, in resolution: inout Resolution) {
        guard let slot = whole.slot(of: item), restoredItems.insert(item).inserted else { return }
        let isAdded = whole[slot].isAdded
        let entries = entries(about: slot)
        let relocated = entries.filter { liveEntries.contains($0.entry.id) }
        var restored = entries.filter { liveEntries.contains($0.entry.id) || whole[slot].isDecided(by: $0.entry) }
        guard restored.count > relocated.count else { return }
        if SeededFault.isSeeded(.restoredWithoutOverwritten) { restored.removeAll { !$0.entry.operation.wantsItem } }

        let neighbour = isAdded ? liveItem(atOrBefore: whole.order.previous(to: slot), except: item) : nil
        for index in restored.indices where restored[index].entry.operation.places && isAdded {
            // An entry that places the item below itself never placed it, and must not do so now.
            if restored[index].entry.after == item, restored[index].entry.id != whole[slot].addedBy { continue }
            restored[index].entry.after = neighbour
        }
        resolution.relocated = relocated.map { $0.entry.id }
        resolution.restored = restored
        liveEntries.formUnion(restored.lazy.map { $0.entry.id })
        if isAdded { live.insert(item) }
    }

    /// Replaces a removed anchor by its nearest live neighbour above. An anchor that nobody ever added stays unknown.
    private func liveAnchor(of entry: JournalEntry) -> ItemID? {
        if SeededFault.isSeeded(.appendsAreNotResolved) { return entry.after }
        guard entry.operation.places, let after = entry.after, !live.contains(after),
            let slot = whole.slot(of: after), whole[slot].isAdded
        else { return entry.after }
        return liveItem(atOrBefore: whole.order.previous(to: slot), except: entry.item)
    }

    private func liveItem(atOrBefore slot: ItemOrder.Slot?, except item: ItemID?) -> ItemID? {
        var candidate = slot
        while let slot = candidate {
            let id = whole[slot].id
            if id != item && live.contains(id) { return id }
            candidate = whole.order.previous(to: slot)
        }
        return nil
    }
}
