extension ListState {
    /// The effect of putting what was picked on a trip on the list again, in the order of the trip. An item that is wanted
    /// stays as it is, in whatever quantity. A marked-off item comes back, with the trip's quantity. Others are new.
    ///
    /// An item that was picked a moment ago stays marked off, and a new one is added: removing its mark would say that it
    /// was not bought.
    package func additions(repeating picks: [Purchase], at now: Timestamp) -> [Addition] {
        let wanted = Set(items.filter { !$0.markedOff }.map { $0.text.itemKey })
        var state = self
        var fresh: Set<ItemID> = []
        for pick in picks where pick.wouldBeSlip(unmarkedAt: now) { if let item = pick.item { fresh.insert(item) } }
        state.items.removeAll { $0.markedOff && fresh.contains($0.id) }
        return state.additions(
            of: picks.map { pick in
                var item = NewItem(fields: [Fields.text: .string(pick.text)])
                // With another quantity, a wanted item would not match.
                if !wanted.contains(pick.text.itemKey), let quantity = pick.quantity {
                    item.fields[Fields.quantity] = .string(quantity)
                }
                return item
            })
    }
}
