package import TrolleyJournal

extension AssistantList {
    /// Adds the items of texts, one per line, to the bottom. What is on the list already is not added again. A new item without an
    /// aisle gets the last aisle of an item of its text, and comes back as often as that one.
    /// - Parameters:
    ///   - past: purchases, also those whose entries compression has removed from the list.
    ///   - identifier: the id of a new item.
    package func adding(
        _ arguments: AssistantArguments, past: PurchaseHistory, identifier: () -> ItemID
    ) throws(AssistantFailure) -> AssistantGesture {
        let wanted = try newItems(arguments)
        // An empty aisle means no aisle, also where an item of the text had one.
        let isOpen = arguments["aisle"] == nil
        let additions = state.additions(of: wanted)
        let texts = additions.newTexts
        let rule = AisleRule(for: texts, on: fold, archived: past)
        let recurring = fold.recurrences(of: texts, after: past.inOrder)
        var bottom = state.items.last?.id
        var drafts: [EntryDraft] = []
        var rows: [AddAnswer.Row] = []
        for addition in additions {
            switch addition {
            case .new(let new):
                var item = Item(id: identifier(), markedOff: new.isMarkedOff, fields: new.fields)
                if let every = recurring[new.text.itemKey] { item.fields[Fields.every] = every }
                let given = item.fields[Fields.aisle]?.string.map { AisleChoice(aisle: $0, reason: .given) }
                let aisle = given ?? (isOpen ? rule.choice(of: new.text) : nil)
                item.fields[Fields.aisle] = (aisle?.aisle).map { .string($0) }
                drafts.append(EntryDraft(.add, item: item.id, after: bottom, fields: item.fields))
                if item.markedOff { drafts.append(EntryDraft(.markOff, item: item.id)) }
                bottom = item.id
                rows.append(AddAnswer.Row(item: item, outcome: .added, aisle: aisle))
            case .present(let item, let missing):
                if !missing.isEmpty { drafts.append(EntryDraft(.edit, item: item.id, fields: missing)) }
                rows.append(AddAnswer.Row(item: item.writing(missing), outcome: .present, aisle: nil))
            case .back(var item, let changes):
                drafts.append(EntryDraft(.unmark, item: item.id))
                if !changes.isEmpty { drafts.append(EntryDraft(.edit, item: item.id, fields: changes)) }
                item.markedOff = false
                rows.append(AddAnswer.Row(item: item.writing(changes), outcome: .back, aisle: nil))
            case .repeated: break
            }
        }
        let answer = AddAnswer(id, rows)
        return AssistantGesture(drafts) { _, writer in answer.writeMembers(to: &writer) }
    }

    /// What the texts say, each with the note, the shop and the aisle that all of them have.
    private func newItems(_ arguments: AssistantArguments) throws(AssistantFailure) -> [NewItem] {
        let lines = arguments.texts("items").flatMap { ItemLine.lines(of: $0) }
        if lines.isEmpty { throw AssistantFailure("There is nothing to add: all lines are blank.") }
        try Self.checkCount(lines.count)
        if let shop = arguments["shop"] { try Self.checkShop(shop) }
        let aisle = arguments["aisle"].flatMap { $0.isEmpty ? nil : $0 }
        return lines.map { line in
            var item = NewItem(line)
            if let note = arguments["note"] { item.fields[Fields.note] = .string(note) }
            if let shop = arguments["shop"] { item.fields[Fields.shop] = .string(shop.trimmed) }
            if let aisle { item.fields[Fields.aisle] = .string(aisle) }
            return item
        }
    }
}
