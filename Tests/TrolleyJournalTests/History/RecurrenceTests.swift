import Testing
import TrolleyJournal

@Suite("Things that are bought every few days", .timeLimit(.minutes(20)))
struct RecurrenceTests {
    private static let day: Int64 = 86_400_000

    @Test(
        "a person's days and weeks are understood, and nothing else",
        arguments: [
            ("7d", 7), ("7", 7), ("2w", 14), ("2W", 14), ("P7D", 7), ("p1w", 7), ("3650d", 3650), ("0d", nil),
            ("3651d", nil),
            ("521w", 3647), ("522w", nil), ("", nil), ("d", nil), ("P", nil), ("7x", nil), ("1m", nil), ("-7d", nil),
            ("7 d", nil), ("99999999999999999999d", nil), ("P7DT1H", nil), ("٧d", nil),
        ])
    func written(_ text: String, days: Int?) {
        #expect(Recurrence(written: text)?.days == days)
        if let every = Recurrence(written: text) { #expect(Recurrence(every.field) == every) }
    }

    @Test("a field of another kind, which a later version may write, is none")
    func fields() {
        for value: FieldValue? in [nil, .null, .string("7d"), .string("P1M"), .json("7"), .string("P0D")] {
            #expect(Recurrence(value) == nil)
        }
        #expect(Recurrence(.string("P2W"))?.days == 14)
    }

    private func history(of item: Int = 1, _ entries: [(Operation, Fields, Int64)]) -> PurchaseHistory {
        var history = PurchaseHistory()
        for (number, (operation, fields, day)) in entries.enumerated() {
            let entry = JournalEntry(
                id: .sample(item * 100 + number), operation: operation, item: .sample(item), fields: fields,
                deviceSequence: Int64(number + 1))
            history.take(entry, madeAt: Timestamp(milliseconds: day * Self.day))
        }
        return history
    }

    @Test("it is due on its day, after one purchase already, and never before")
    func due() {
        let bought = history([(.add, ["text": "milk", "every": "P7D"], 0), (.markOff, [:], 10)])
        func suggestion(at day: Double) -> Suggestion? {
            bought.suggestions(for: ListState(), at: Timestamp(milliseconds: Int64(day * Double(Self.day)))).first
        }
        #expect(suggestion(at: 16)?.isDue(at: Timestamp(milliseconds: 16 * Self.day)) == false)
        #expect(suggestion(at: 16.5)?.isDue(at: Timestamp(milliseconds: 33 * Self.day / 2)) == true)
        #expect(suggestion(at: 17)?.every?.days == 7)
    }

    @Test("what a person says after the purchase counts, and so does taking it back")
    func edited() {
        let later = history([(.add, ["text": "milk"], 0), (.markOff, [:], 1), (.edit, ["every": "P3D"], 2)])
        #expect(later.purchases.first?.every?.days == 3)
        let taken = history([
            (.add, ["text": "milk", "every": "P3D"], 0), (.markOff, [:], 1), (.edit, ["every": .null], 2),
        ])
        #expect(taken.purchases.first?.every == nil)
    }

    @Test("what a person has asked for precedes what is estimated, and what is wanted isn't suggested")
    func order() {
        var all = history([(.add, ["text": "milk", "every": "P7D"], 0), (.markOff, [:], 1)])
        for purchase in history(
            of: 2,
            [
                (.add, ["text": "bread"], 0), (.markOff, [:], 1), (.unmark, [:], 2), (.markOff, [:], 3),
                (.unmark, [:], 4),
                (.markOff, [:], 5),
            ]
        ).purchases { all.add(purchase) }
        let now = Timestamp(milliseconds: 30 * Self.day)
        #expect(all.suggestions(for: ListState(), at: now).map(\.text) == ["milk", "bread"])
        let early = Timestamp(milliseconds: 7 * Self.day)
        #expect(all.suggestions(for: ListState(), at: early).map(\.text) == ["bread", "milk"])
        let wanted = ListState(items: [Item(id: .sample(900), markedOff: false, fields: ["text": "Milk"])])
        #expect(all.suggestions(for: wanted, at: now).map(\.text) == ["bread"])
    }
}
