import Testing
import TrolleyJournal

@Suite(.timeLimit(.minutes(20))) struct AdditionPlanTests {
    private static let milk = Item(id: .sample(1), fields: ["text": "milk"])
    private static let jam = Item(id: .sample(2), markedOff: true, fields: ["text": "jam"])
    private static let state = ListState(items: [milk, jam])

    private func additions(_ lines: String...) -> [Addition] {
        Self.state.additions(of: lines.compactMap { ItemLine($0).map { NewItem($0) } })
    }

    @Test func `new items follow each other, and the others change where they are`() {
        var next = 10
        let plan = AdditionPlan(
            additions("eggs", "milk, 2 l", "jam, 3", "[x] salt", "eggs"), below: .sample(2),
            identifier: {
                next += 1
                return .sample(next)
            }, completing: { _, new in new.fields[Fields.aisle] = "Baking" })
        #expect(
            plan.drafts == [
                EntryDraft(.add, item: .sample(11), after: .sample(2), fields: ["text": "eggs", "aisle": "Baking"]),
                EntryDraft(.edit, item: .sample(1), fields: ["quantity": "2 l"]),
                EntryDraft(.unmark, item: .sample(2)),
                EntryDraft(.edit, item: .sample(2), fields: ["quantity": "3"]),
                EntryDraft(.add, item: .sample(12), after: .sample(11), fields: ["text": "salt", "aisle": "Baking"]),
                EntryDraft(.markOff, item: .sample(12)),
            ])
        #expect(plan.added.map(\.outcome) == [.added, .present, .back, .added])
        #expect(plan.added.map(\.item.markedOff) == [false, false, false, true])
        #expect(plan.added[1].item.fields == ["text": "milk", "quantity": "2 l"])
        #expect(plan.added[2].item.fields == ["text": "jam", "quantity": "3"])
    }

    @Test func `a new item gets the aisle of its rule and comes back as often, unless somebody has said otherwise`() {
        let fold = ListFold(folding: [
            .sample(1, .add, 1, ["text": "bread", "aisle": "Bakery"]), .sample(2, .delete, 1),
        ])
        let items: [NewItem] = [
            NewItem(fields: ["text": "bread"]), NewItem(fields: ["text": "Bread", "aisle": "Shelf", "every": "P3D"]),
            NewItem(fields: ["text": "rolls"]), NewItem(fields: ["text": "bread", "note": "dark"]),
        ]
        var next = 10
        let plan = AdditionPlan(
            items.map { .new($0) }, below: nil, in: AisleRule(for: items.map(\.text), on: fold), isOpen: { $0 < 3 },
            recurring: ["bread".itemKey: "P7D"],
            identifier: {
                next += 1
                return .sample(next)
            })
        #expect(
            plan.added.map(\.item.fields) == [
                ["text": "bread", "aisle": "Bakery", "every": "P7D"],
                ["text": "Bread", "aisle": "Shelf", "every": "P3D"], ["text": "rolls"],
                ["text": "bread", "note": "dark", "every": "P7D"],
            ])
        #expect(plan.added.map(\.aisleReason) == [.taught, .given, nil, nil])
    }
}
