/// The fold itself: takes entries one after the other and yields a list. Messages are another fold, ``Conversation``.
///
/// Every entry can be folded in every state; an entry that does not apply has no effect. Folding an entry takes the
/// same time however long the journal is.
struct FoldedList: Sendable {
    /// The fields of the list itself, with its name and colour.
    private(set) var fields = FoldedFields()
    private(set) var items: [FoldedItem] = []
    private(set) var order = ItemOrder()
    private var slots: [ItemID: ItemOrder.Slot] = [:]
    /// The folded entries, with the slot of their item (`listSlot` for the list itself).
    private var entries: [EntryID: ItemOrder.Slot] = [:]
    /// Slots of removed items, for reuse.
    private var free: [ItemOrder.Slot] = []
    /// The sequence of the latest entry.
    private(set) var last = SequenceNumber.start

    private static let listSlot: ItemOrder.Slot = -1

    var entryCount: Int { entries.count }

    func contains(_ entry: EntryID) -> Bool { entries[entry] != nil }

    func slot(of item: ItemID) -> ItemOrder.Slot? { slots[item] }

    /// The slot of the item that an entry names.
    func slot(of entry: JournalEntry) -> ItemOrder.Slot? {
        entry.operation.concernsItem ? entry.item.flatMap { slots[$0] } : nil
    }

    subscript(slot: ItemOrder.Slot) -> FoldedItem { items[Int(slot)] }

    func item(_ id: ItemID) -> FoldedItem? { slots[id].map { self[$0] } }

    /// A field of the list; nil: it is not set.
    func text(_ field: String) -> String? { fields[field]?.value.string }

    /// Reserves space for this many entries, and for the items of a typical list, which have two or three entries each.
    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        items.reserveCapacity(count / 2)
        slots.reserveCapacity(count / 2)
    }

    /// The slots that an entry refers to.
    struct Target: Sendable {
        /// nil: the list itself, or nothing.
        var item: ItemOrder.Slot?
        /// The anchor of an entry that can place its item.
        var anchor: ItemOrder.Anchor
        /// Whether the entry has placed its item.
        var isPlaced = false
    }

    /// Folds an entry.
    /// - Returns: nil when the entry was folded before; then nothing has changed.
    @discardableResult
    mutating func fold(_ entry: JournalEntry, at stamp: Stamp) -> Target? {
        let slot = entry.operation.concernsItem ? entry.item.map { makeSlot(for: $0) } : nil
        let isNew = entries.updateValue(slot ?? FoldedList.listSlot, forKey: entry.id) == nil
        guard isNew || SeededFault.isSeeded(.duplicatesCount) else { return nil }
        var target = Target(item: slot, anchor: entry.operation.places ? anchor(entry.after) : .unknown)
        last = max(last, stamp.sequence)
        switch entry.operation {
        case .renameList, .recolourList:
            for (key, value) in entry.listFields { fields.merge(value, of: key, at: stamp, by: entry.id) }
        default:
            guard let slot else { break }
            items[Int(slot)].entryCount += 1
            items[Int(slot)].decide(entry, at: stamp)
            if SeededFault.isSeeded(.deletedItemsLosePlace), entry.operation == .delete { order.remove(slot) }
            if entry.operation.places, items[Int(slot)].decidePlace(entry, at: stamp) {
                order.place(slot, after: target.anchor)
                target.isPlaced = true
            }
        }
        return target
    }

    /// Removes entries that compression discarded. An item is removed with its last entry; everything else is
    /// unchanged, since the remaining entries are those that decide it.
    mutating func discard(_ ids: some Swift.Sequence<EntryID>) {
        for id in ids {
            guard let slot = entries.removeValue(forKey: id), slot != FoldedList.listSlot else { continue }
            items[Int(slot)].entryCount -= 1
            guard items[Int(slot)].entryCount == 0 else { continue }
            order.remove(slot)
            slots[items[Int(slot)].id] = nil
            free.append(slot)
        }
    }

    /// Removes all other items from the order, for a fold that needs only the places of these from here on.
    mutating func keepPlaces(of kept: Set<ItemID>) {
        var next = order.top
        while let slot = next {
            next = order.next(after: slot)
            if !kept.contains(self[slot].id) { order.remove(slot) }
        }
    }

    /// Resolves an `after`.
    func anchor(_ item: ItemID?) -> ItemOrder.Anchor {
        guard let item else { return .top }
        return slots[item].map { .slot($0) } ?? .unknown
    }

    private mutating func makeSlot(for item: ItemID) -> ItemOrder.Slot {
        if let slot = slots[item] { return slot }
        let slot = free.popLast() ?? ItemOrder.Slot(items.count)
        if Int(slot) == items.count { items.append(FoldedItem(id: item)) }
        items[Int(slot)] = FoldedItem(id: item)
        slots[item] = slot
        return slot
    }
}

extension FoldedList {
    /// The list's state.
    var state: ListState {
        var shown: [Item] = []
        var next = order.top
        while let slot = next {
            let item = self[slot]
            if item.isShown { shown.append(Item(id: item.id, markedOff: item.isMarkedOff, fields: item.shownFields)) }
            next = order.next(after: slot)
        }
        return ListState(
            name: text(Fields.name), colour: text(Fields.colour), aisles: aisles, shops: shops, items: shown)
    }
}
