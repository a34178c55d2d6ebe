import Testing
import TrolleyJournal

/// Trips in several shops, and several lists on one trip.
@Suite(.timeLimit(.minutes(20))) struct ShopTripTests {
    private static let later = Timestamp(milliseconds: .max)

    /// Marks in shops, one a minute.
    private func history(_ marks: [(text: String, shop: String?)], day: Int = 0) -> [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        let morning = day * 86_400
        for (index, mark) in marks.enumerated() {
            let number = day * 100 + index * 2 + 1
            var fields: Fields = [:]
            fields[Fields.shop] = mark.shop.map { .string($0) }
            entries.append(.sample(number, .add, number, ["text": .string(mark.text)], madeAt: morning))
            entries.append(.sample(number + 1, .markOff, number, fields, madeAt: morning + index * 60))
        }
        return entries
    }

    @Test func `two shops at the same time are two trips, and a mark that names none belongs to neither`() {
        let marks: [(String, String?)] = [
            ("milk", "Lidl"), ("nails", "Hardware"), ("bread", "lidl"), ("soap", nil), ("glue", "Hardware"),
            ("jam", "Lidl"),
            ("tape", "Hardware"), ("tea", nil), ("oil", nil),
        ]
        let trips = PurchaseHistory(history(marks.map { (text: $0.0, shop: $0.1) })).trips
        #expect(trips.map(\.shop) == ["Lidl", "Hardware", nil])
        #expect(
            trips.map { $0.picks.map(\.text) } == [
                ["milk", "bread", "jam"], ["nails", "glue", "tape"], ["soap", "tea", "oil"],
            ])
    }

    @Test func `each shop has an order of its own, and one without trips has that of all`() {
        let forth = ["milk", "bread", "jam"], back = ["jam", "bread", "milk"]
        let entries =
            history(forth.map { ($0, "Lidl") }) + history(back.map { ($0, "Aldi") }, day: 1)
            + history(back.map { ($0, "Aldi") }, day: 2)
        let trips = PurchaseHistory(
            entries.enumerated().map { index, entry in
                var entry = entry
                entry.sequence = SequenceNumber(rawValue: Int64(index + 1))
                return entry
            }
        ).trips
        #expect(trips.count == 3)
        let rows = ["bread", "jam", "milk"].enumerated().map {
            ShownRow(item: Item(id: .sample($0.offset), fields: ["text": .string($0.element)]))
        }
        func order(in shop: String?) -> [String] {
            rows.byAisle([], learned: LearnedOrder(of: trips, at: Self.later, in: shop)).map(\.item.text)
        }
        #expect(order(in: "LIDL") == forth && order(in: "Aldi") == back)
        #expect(order(in: "Market") == back && order(in: nil) == back)
    }

    private func row(_ number: Int, _ text: String, _ aisle: String? = nil, markedOff: Bool = false) -> ShownRow {
        var fields: Fields = ["text": .string(text)]
        fields[Fields.aisle] = aisle.map { .string($0) }
        return ShownRow(item: Item(id: .sample(number), markedOff: markedOff, fields: fields))
    }

    @Test func `what several lists call by one text is one row, and what is done on one is a row of its own`() {
        let none = LearnedOrder(of: [], at: Self.later)
        var struck = row(9, "struck")
        struck.isStruck = true
        var elsewhere = row(8, "nails")
        elsewhere.isElsewhere = true
        let parts = [
            CombinedPart(
                list: .sample(1),
                rows: [row(1, "milk"), row(2, "bread", "Bakery"), row(3, "jam", markedOff: true), struck],
                aisles: ["Dairy", "Bakery"], learned: none),
            CombinedPart(
                list: .sample(2), rows: [row(4, "MILK ", "Dairy"), row(5, "jam"), elsewhere, row(6, "fish", "Fish")],
                aisles: ["Fish", "Bakery"], learned: none),
        ]
        let rows = parts.combinedRows
        #expect(rows.map(\.text) == ["milk", "bread", "fish", "jam", "jam", "nails"])
        #expect(rows.map(\.isMarkedOff) == [false, false, false, true, false, false])
        #expect(rows.map(\.isElsewhere) == [false, false, false, false, false, true])
        #expect(rows[0].parts.map(\.list) == [.sample(1), .sample(2)] && rows[0].aisle == "Dairy")
        #expect(rows[0].parts.map(\.item.id) == [.sample(1), .sample(4)])
        #expect([CombinedPart]().combinedRows.isEmpty)
    }

    @Test func `what was bought twice on one list is two rows, so that it isn't wanted twice again`() {
        let none = LearnedOrder(of: [], at: Self.later)
        let parts = [
            CombinedPart(
                list: .sample(1), rows: [row(1, "milk", markedOff: true), row(2, "milk", markedOff: true)], aisles: [],
                learned: none),
            CombinedPart(
                list: .sample(2), rows: [row(3, "milk"), row(4, "milk"), row(5, "milk", markedOff: true)], aisles: [],
                learned: none),
        ]
        let found = parts.combinedRows.map { $0.parts.map(\.item.id) }
        #expect(found == [[.sample(1)], [.sample(2), .sample(5)], [.sample(3), .sample(4)]])
    }
}
