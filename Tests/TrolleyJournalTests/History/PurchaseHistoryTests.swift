import Testing
import TrolleyJournal

@Suite("Purchase history and suggestions", .timeLimit(.minutes(20)))
struct PurchaseHistoryTests {
    private static let day: Int64 = 86_400_000

    /// Buys an item on these days: it is added, or unmarked, two hours before.
    private func buying(_ text: String, _ number: Int, on days: Int64...) -> [ConfirmedEntry] {
        days.enumerated().flatMap { index, day in
            let at = Int(day * Self.day / 1000)
            let wanting: ConfirmedEntry = .sample(
                Int(day) * 1000 + number * 2, index == 0 ? .add : .unmark, number,
                index == 0 ? ["text": .string(text)] : [:], madeAt: at - 7200)
            return [wanting, .sample(Int(day) * 1000 + number * 2 + 1, .markOff, number, madeAt: at)]
        }
    }

    private func suggestions(_ entries: [ConfirmedEntry], on day: Int64, wanted: [String] = []) -> [Suggestion] {
        let state = ListState(
            items: wanted.enumerated().map { Item(id: .sample(900 + $0), fields: ["text": .string($1)]) })
        return PurchaseHistory(entries.sorted { $0.sequence < $1.sequence })
            .suggestions(for: state, at: Timestamp(milliseconds: day * Self.day))
    }

    @Test("due items come first, then items with more purchases; wanted items are left out")
    func order() {
        let entries =
            buying("milk", 1, on: 1, 8, 15) + buying("salt", 2, on: 1, 14) + buying("jam", 3, on: 3)
            + buying("bread", 4, on: 10, 12, 14, 16)
        #expect(suggestions(entries, on: 17).map(\.text) == ["bread", "milk", "salt", "jam"])
        // Milk is bought each week, so it is due on the 22nd; bread was due on the 18th.
        #expect(
            suggestions(entries, on: 22).map { $0.isDue(at: Timestamp(milliseconds: 22 * Self.day)) } == [
                true, true, false, false,
            ])
        #expect(suggestions(entries, on: 22, wanted: ["Bread"]).map(\.text) == ["milk", "salt", "jam"])
        let milk = suggestions(entries, on: 17)[1]
        #expect(milk.count == 3 && milk.interval == 7 * Self.day)
    }

    @Test("a slip of the finger and an undo are no purchase, and twice within hours is once")
    func slips() {
        func history(_ second: ConfirmedEntry...) -> Int {
            let first: [ConfirmedEntry] = [
                .sample(1, .add, 1, ["text": "milk"]), .sample(2, .markOff, 1, madeAt: 10),
            ]
            return PurchaseHistory(first + second).purchases.count
        }
        #expect(history() == 1)
        #expect(history(.sample(3, .unmark, 1, madeAt: 20)) == 0)
        #expect(history(.sample(3, .unmark, 1, madeAt: 311)) == 1)
        var undo: ConfirmedEntry = .sample(3, .unmark, 1, madeAt: 900)
        undo.entry.cause = .undo
        #expect(history(undo) == 0)
        let twice: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk"], madeAt: 0), .sample(2, .markOff, 1, madeAt: 1000),
            .sample(3, .add, 2, ["text": "Milk"], madeAt: 2000), .sample(4, .markOff, 2, madeAt: 7000),
        ]
        #expect(suggestions(twice, on: 1).map(\.count) == [1])
    }

    @Test("an item has the aisle that one of its name had last, also when that was deleted")
    func aisles() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk", "aisle": "Dairy"]), .sample(2, .edit, 1, ["aisle": "Fridge"]),
            .sample(3, .delete, 1), .sample(4, .add, 2, ["text": "salt", "aisle": "Spices"]),
            .sample(5, .edit, 2, ["aisle": .null]),
        ]
        let fold = ListFold(folding: entries)
        #expect(fold.aisle(ofItemCalled: "Milk") == "Fridge")
        #expect(fold.aisle(ofItemCalled: "salt") == nil && fold.aisle(ofItemCalled: "jam") == nil)
        #expect(PurchaseHistory(entries).aisle(of: "MILK") == "Fridge")
    }
}
