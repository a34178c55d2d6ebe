/// 'Put the list back to 17:40': a preview, and the batch of new entries that does it.
public struct Restoration: Hashable, Sendable {
    /// The list afterwards: exactly as it was at that moment.
    public let preview: ListState
    /// The entries to make, in this order, as one batch, which is undone as one gesture. Empty when nothing has changed
    /// since.
    public let drafts: [EntryDraft]
}

extension Timeline {
    /// Plans to restore the state after a change.
    /// - Parameter pending: the device's own unconfirmed entries, which are reverted as well.
    public mutating func restoration(
        through sequence: SequenceNumber, pending: [PendingEntry] = []
    ) -> Restoration {
        let target = state(through: sequence)
        var current = list(through: SequenceNumber(rawValue: .max))
        current.fold(pending)
        return Restoration(preview: target, drafts: current.drafts(leadingTo: target))
    }
}

extension ListFold {
    /// Plans to restore an earlier state. An edit restores each item that compression has removed, with its fields from the
    /// Activity.
    public func restoration(to target: ListState) -> Restoration {
        Restoration(preview: target, drafts: list.drafts(leadingTo: target))
    }
}

extension FoldedList {
    /// The entries that turn the shown state into `target`.
    fileprivate func drafts(leadingTo target: ListState) -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        if !text(Fields.name).hasSameBytes(as: target.name) {
            drafts.append(EntryDraft(.renameList, fields: [Fields.text: target.name.map { .string($0) } ?? .null]))
        }
        if !text(Fields.colour).hasSameBytes(as: target.colour) {
            drafts.append(EntryDraft(.recolourList, fields: [Fields.text: target.colour.map { .string($0) } ?? .null]))
        }
        let state = self.state
        let aisles = ListState.text(of: target.aisles)
        if !ListState.text(of: state.aisles).hasSameBytes(as: aisles) {
            let order = aisles.map { FieldValue.string($0) } ?? .null
            drafts.append(EntryDraft(.recolourList, fields: [Fields.aisles: order]))
        }
        // Each spelling of a shop is a field of its own.
        for shop in target.shops where !state.shops.contains(shop) { drafts.append(shop.draft) }
        for shop in state.shops where !target.shops.contains(where: { $0.name.hasSameBytes(as: shop.name) }) {
            drafts.append(shop.removal)
        }
        var isWanted = [Bool](repeating: false, count: items.count)
        for item in target.items { if let slot = slot(of: item.id) { isWanted[Int(slot)] = true } }
        for item in state.items {
            guard let slot = slot(of: item.id), !isWanted[Int(slot)] else { continue }
            drafts.append(EntryDraft(.delete, item: item.id))
        }
        for item in target.items { drafts += self.drafts(leadingTo: item) }
        return SeededFault.isSeeded(.orderIsNotRestored) ? drafts : drafts + moves(leadingTo: target.items)
    }

    private func drafts(leadingTo target: Item) -> [EntryDraft] {
        guard let item = item(target.id), item.isAdded else {
            let back = EntryDraft(.edit, item: target.id, fields: target.fields)
            return target.markedOff ? [back, EntryDraft(.markOff, item: target.id)] : [back]
        }
        var drafts: [EntryDraft] = []
        var changes = Fields()
        let shown = item.shownFields
        for (key, _) in shown where target.fields[key] == nil { changes[key] = .null }
        for (key, value) in target.fields where shown[key] != value { changes[key] = value }
        // An edit without fields also restores a deleted item.
        if !changes.isEmpty || item.isDeleted { drafts.append(EntryDraft(.edit, item: target.id, fields: changes)) }
        if target.markedOff != item.isMarkedOff {
            drafts.append(EntryDraft(target.markedOff ? .markOff : .unmark, item: target.id))
        }
        return drafts
    }

    /// Moves as few items as possible: the items of a longest subsequence that is in the right order already stay.
    private func moves(leadingTo target: [Item]) -> [EntryDraft] {
        var places = [Int](repeating: -1, count: items.count)
        var count = 0
        var next = order.top
        while let slot = next {
            places[Int(slot)] = count
            count += 1
            next = order.next(after: slot)
        }
        // An item that compression has removed has no place.
        let present = target.map { item in slot(of: item.id).map { places[Int($0)] } ?? -1 }
        var staying = present.filter { $0 >= 0 }.longestAscending()[...]
        var drafts: [EntryDraft] = []
        var above: ItemID?
        for (item, place) in zip(target, present) {
            let stays = place >= 0 && staying.removeFirst()
            if !stays { drafts.append(EntryDraft(.move, item: item.id, after: above)) }
            above = item.id
        }
        return drafts
    }
}
