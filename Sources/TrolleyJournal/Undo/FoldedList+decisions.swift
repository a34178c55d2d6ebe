extension FoldedList {
    /// The present value, and the entry that decided it.
    func decision(on register: PriorDecision.Register, of id: ItemID?) -> PriorDecision {
        let slot: ItemOrder.Slot? = id.flatMap { self.slot(of: $0) }
        let item: FoldedItem? = slot.map { self[$0] }
        switch register {
        case .name, .colour, .field:
            let key = register.field
            let field = id == nil ? fields[key] : item?.field(key)
            return PriorDecision(register, was: .field(field?.value ?? .null), by: field?.by)
        case .markedOff: return PriorDecision(register, was: .flag(item?.isMarkedOff ?? false), by: item?.markedOff?.by)
        case .deleted: return PriorDecision(register, was: .flag(!(item?.isShown ?? false)), by: item?.deleted?.by)
        case .place:
            let above = slot.flatMap { order.contains($0) ? order.previous(to: $0) : nil }
            return PriorDecision(register, was: .after(above.map { self[$0].id }), by: item?.placedBy)
        }
    }

    /// The decisions that an entry will make if it is folded now.
    func decisions(of entry: JournalEntry) -> [(register: PriorDecision.Register, value: PriorDecision.Value)] {
        let item = entry.item.flatMap { self.item($0) }
        let isThere = item?.isShown ?? false
        let isOfList = entry.operation.concernsList
        let fields = (isOfList ? entry.listFields : entry.fields).map {
            (
                register: isOfList ? PriorDecision.Register(listField: $0.key) : .field($0.key),
                value: PriorDecision.Value.field($0.value)
            )
        }
        switch entry.operation {
        case .renameList, .recolourList:
            return fields
        // Undoing the return of an item deletes the item, so no other decision is needed. If the item is still on the
        // list, the decision that it is wanted is recorded, too; it keeps its value, so it must not hide the earlier
        // author.
        case .add:
            let rest = isThere ? fields + [(.markedOff, .flag(false)), place(of: entry)] : []
            return rest + [(.deleted, .flag(false))]
        case .edit: return (isThere ? fields : []) + [(.deleted, .flag(false))]
        case .unmark: return (isThere ? [(.markedOff, .flag(false))] : []) + [(.deleted, .flag(false))]
        case .markOff: return item == nil ? [] : [(.markedOff, .flag(true))]
        case .delete: return isThere ? [(.deleted, .flag(true))] : []
        case .move: return item?.isAdded == true ? [place(of: entry)] : []
        case .message, .deleteMessage, .react, .unreact, .pin, .unpin, .unknown: return []
        }
    }

    /// The place where an entry will put its item, which must be in the list.
    private func place(of entry: JournalEntry) -> (register: PriorDecision.Register, value: PriorDecision.Value) {
        let stay = decision(on: .place, of: entry.item).value
        let slot = entry.item.flatMap { self.slot(of: $0) }
        switch anchor(entry.after) {
        case .top: return (.place, .after(nil))
        case .slot(let anchor) where anchor != slot && order.contains(anchor): return (.place, .after(entry.after))
        case .slot(let anchor) where anchor == slot: return (.place, stay)
        case .slot, .unknown:
            return (.place, order.bottom == slot ? stay : .after(order.bottom.map { self[$0].id }))
        }
    }
}
