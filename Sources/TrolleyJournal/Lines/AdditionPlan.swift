/// The changes that additions make to a list, as one gesture, and the result for each item. The SDK, hosted devices, the
/// assistant and the web app all add by this plan.
package struct AdditionPlan: Sendable {
    package private(set) var drafts: [EntryDraft] = []
    package private(set) var added: [AddedItem] = []

    /// - Parameters:
    ///   - bottom: the item that new ones go below; nil: they go to the top.
    ///   - identifier: the id of a new item.
    ///   - complete: fills in missing fields of a new item, such as the aisle. The index is that of the addition.
    package init(
        _ additions: [Addition], below bottom: ItemID?, identifier: () -> ItemID,
        completing complete: (Int, inout NewItem) -> Void
    ) {
        var bottom = bottom
        for (index, addition) in additions.enumerated() {
            switch addition {
            case .new(var new):
                complete(index, &new)
                let item = Item(id: identifier(), markedOff: new.isMarkedOff, fields: new.fields)
                drafts.append(EntryDraft(.add, item: item.id, after: bottom, fields: item.fields))
                if item.markedOff { drafts.append(EntryDraft(.markOff, item: item.id)) }
                bottom = item.id
                added.append(AddedItem(item: item, outcome: .added))
            case .present(let item, let missing): change(item, missing, .present)
            case .back(var item, let changes):
                drafts.append(EntryDraft(.unmark, item: item.id))
                item.markedOff = false
                change(item, changes, .back)
            case .repeated: break
            }
        }
    }

    private mutating func change(_ item: Item, _ fields: Fields, _ outcome: AddedItem.Outcome) {
        if !fields.isEmpty { drafts.append(EntryDraft(.edit, item: item.id, fields: fields)) }
        var item = item
        // The module returns only the item's id and text, and these edits don't change the text.
        #if !hasFeature(Embedded)
            for (key, value) in fields { item.fields[key] = value }
        #endif
        added.append(AddedItem(item: item, outcome: outcome))
    }
}

#if !hasFeature(Embedded)
    extension AdditionPlan {
        /// A new item without an aisle gets the rule's, and comes back as often as the last item of its text.
        /// - Parameters:
        ///   - isOpen: for each addition's index, whether the rule may choose the aisle.
        ///   - recurring: how often items of these texts are bought.
        package init(
            _ additions: [Addition], below bottom: ItemID?, in rule: AisleRule, isOpen: (Int) -> Bool,
            recurring: [ItemKey: FieldValue], identifier: () -> ItemID
        ) {
            var reasons: [AisleChoice.Reason?] = []
            self.init(additions, below: bottom, identifier: identifier) { index, new in
                if new.fields[Fields.every] == nil, let every = recurring[new.text.itemKey] {
                    new.fields[Fields.every] = every
                }
                if new.fields[Fields.aisle] != nil {
                    reasons.append(.given)
                } else {
                    let choice = isOpen(index) ? rule.choice(of: new.text) : nil
                    if let choice { new.fields[Fields.aisle] = .string(choice.aisle) }
                    reasons.append(choice?.reason)
                }
            }
            let new = added.indices.filter { added[$0].outcome == .added }
            for (index, reason) in zip(new, reasons) { added[index].aisleReason = reason }
        }
    }
#endif
