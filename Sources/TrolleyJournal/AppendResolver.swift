/// Makes appending to a compressed journal come out as appending to the whole one would.
///
/// When an entry comes in that names an item which compression took away, only the Activity knows where that item stood
/// and what it was. The server asks this resolver, and what it answers is what goes into the live journal and to every
/// device; the Activity gets the entry as it was sent. The answers depend on the list as it stands at that moment, which
/// is why a map from purged items to their neighbours, made when they were purged, would not do: others have since
/// been put behind those neighbours.
public struct AppendResolver: Sendable {
    /// The fold of the Activity.
    private var whole: FoldedList
    private var activity: [ConfirmedEntry]
    /// Items that have an `add` in the live journal.
    private var live: Set<ItemID>
    private var liveEntries: Set<EntryID>

    /// What to append, in this order.
    public struct Resolution: Hashable, Sendable {
        /// Live entries to discard first; they come again in `returning`. These are entries about a purged item that
        /// came after it was purged and did nothing.
        public var lifted: [EntryID] = []
        /// Entries from the Activity that bring an item back, oldest first. They take the stream's next sequences (the
        /// ones given here are their first) and keep all else.
        public var returning: [ConfirmedEntry] = []
        /// The entry itself, with an anchor that is in the live journal.
        public var entry: ConfirmedEntry
    }

    /// - Parameters:
    ///   - activity: every entry that the list ever had, as it was sent.
    ///   - live: what compression has left of it.
    public init(
        activity: some Swift.Sequence<ConfirmedEntry>, live: some Swift.Sequence<ConfirmedEntry>
    ) {
        whole = FoldedList()
        self.activity = []
        for entry in activity.inStreamOrder() where whole.fold(entry.entry, at: entry.stamp) != nil {
            self.activity.append(entry)
        }
        self.live = []
        liveEntries = []
        for entry in live {
            liveEntries.insert(entry.entry.id)
            if entry.entry.operation == .add, let item = entry.entry.item { self.live.insert(item) }
        }
    }

    /// Whether an entry needs a resolver at all; most need none.
    /// - Parameter isPurged: whether the Activity has entries about an item, and the live journal has none that add it.
    public static func isNeeded(for entry: JournalEntry, isPurged: (ItemID) -> Bool) -> Bool {
        if entry.operation.wantsItem, let item = entry.item, isPurged(item) { return true }
        if entry.operation.places, let after = entry.after, isPurged(after) { return true }
        return false
    }

    /// Resolves the next entry and takes note of it; entries are to be given in the order in which they are appended.
    public mutating func resolve(_ entry: ConfirmedEntry) -> Resolution {
        var resolution = Resolution(entry: entry)
        if entry.entry.operation.wantsItem, let item = entry.entry.item, !live.contains(item) {
            bringBack(item, in: &resolution)
        }
        resolution.entry.entry.after = liveAnchor(of: entry.entry)

        let sequence = max(entry.sequence, whole.last.advanced(by: 1))
        whole.fold(entry.entry, at: Stamp(madeAt: entry.madeAt, sequence: sequence))
        activity.append(entry)
        liveEntries.insert(entry.entry.id)
        if entry.entry.operation == .add, let item = entry.entry.item { live.insert(item) }
        return resolution
    }

    private mutating func bringBack(_ item: ItemID, in resolution: inout Resolution) {
        guard let slot = whole.slot(of: item) else { return }
        let isAdded = whole[slot].isAdded
        let entries = activity.filter { $0.entry.operation.concernsItem && $0.entry.item == item }
        let lifted = entries.filter { liveEntries.contains($0.entry.id) }
        var returning = entries.filter { liveEntries.contains($0.entry.id) || whole[slot].isDecided(by: $0.entry) }
        guard returning.count > lifted.count else { return }
        if Mistake.isMade(.returningWithoutLosers) { returning.removeAll { !$0.entry.operation.wantsItem } }

        let neighbour = isAdded ? liveItem(atOrBefore: whole.order.previous(to: slot), except: item) : nil
        for index in returning.indices where returning[index].entry.operation.places && isAdded {
            returning[index].entry.after = neighbour
        }
        resolution.lifted = lifted.map(\.entry.id)
        resolution.returning = returning
        liveEntries.formUnion(returning.lazy.map(\.entry.id))
        if isAdded { live.insert(item) }
    }

    /// An anchor that was purged becomes its nearest live neighbour above; one that nobody ever added stays unknown.
    private func liveAnchor(of entry: JournalEntry) -> ItemID? {
        if Mistake.isMade(.purgedAnchorsStay) { return entry.after }
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
