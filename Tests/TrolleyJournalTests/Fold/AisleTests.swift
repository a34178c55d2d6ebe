import Testing
import TrolleyJournal

@Suite("Aisles", .timeLimit(.minutes(20)))
struct AisleTests {
    private func row(_ number: Int, _ aisle: String?) -> ShownRow {
        var fields: Fields = ["text": .string("item \(number)")]
        fields[Fields.aisle] = aisle.map { .string($0) }
        return ShownRow(item: Item(id: .sample(number), fields: fields))
    }

    @Test("rows stand by aisle: in the list's order, then as they come, last what has none")
    func order() {
        let rows = [row(1, nil), row(2, "Bakery"), row(3, "Dairy"), row(4, "bakery "), row(5, "Spices"), row(6, "")]
        func numbers(_ order: String...) -> [String] { rows.byAisle(order).map(\.item.text) }
        #expect(numbers() == [2, 4, 3, 5, 1, 6].map { "item \($0)" })
        #expect(numbers("Spices", "dairy", "Spices", "Fish") == [5, 3, 2, 4, 1, 6].map { "item \($0)" })
        let plain = [row(1, nil), row(2, nil)]
        #expect(plain.byAisle(["Dairy"]) == plain)
    }

    @Test("their order is a register of the list's: the later change wins, compression keeps it, undo takes it back")
    func register() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .renameList, nil, ["text": "Shop"]),
            .sample(2, .recolourList, nil, ["aisles": "Dairy\nBakery"], madeAt: 5000),
            .sample(3, .recolourList, nil, ["text": "green"], madeAt: 6000),
            .sample(4, .recolourList, nil, ["aisles": "Bakery"], madeAt: 4000),
        ]
        let state = ListState(folding: entries)
        #expect(state.aisles == ["Dairy", "Bakery"] && state.colour == "green" && state.name == "Shop")
        let compression = Compression(of: entries, olderThan: .seconds(1_000_000))
        #expect(compression.discarded == [.init(id: entries[3].entry.id, why: .overwritten)])
        #expect(ListState(folding: compression.applied(to: entries)) == state)
        let log = UndoLog(of: entries[0].device, replaying: entries.prefix(2))
        let plan = log.planUndo(over: ListFold(folding: entries.prefix(2)))
        #expect(plan.map(\.operation) == [.recolourList] && plan.first?.fields == ["aisles": .null])
        var timeline = Timeline(entries)
        let drafts = timeline.restoration(through: SequenceNumber(rawValue: 1)).drafts
        #expect(drafts.contains { $0.fields == ["aisles": .null] })
        // A program that does not know aisles computes the same digest.
        #expect(state.digest == ListState(folding: [entries[0], entries[2]]).digest)
    }

    @Test("a deleted row keeps its place, struck through, where it is told to")
    func struck() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk"]), .sample(2, .add, 2, after: 1, ["text": "eggs"]),
            .sample(3, .add, 3, after: 2, ["text": "jam"]), .sample(4, .delete, 2), .sample(5, .delete, 1),
        ]
        let rows = ListFold(folding: entries).rows(striking: [.sample(2)])
        #expect(rows.map(\.item.text) == ["eggs", "jam"] && rows.map(\.isStruck) == [true, false])
    }
}
