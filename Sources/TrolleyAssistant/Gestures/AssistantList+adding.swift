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
        let plan = AdditionPlan(
            additions, below: state.items.last?.id, in: AisleRule(for: texts, on: fold, archived: past),
            isOpen: { _ in isOpen }, recurring: fold.recurrences(of: texts, after: past.inOrder),
            identifier: identifier)
        let answer = AddAnswer(id, plan.added)
        return AssistantGesture(plan.drafts) { _, writer in answer.writeMembers(to: &writer) }
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
