import Testing
import TrolleyJournal

@Suite("The learned order", .timeLimit(.minutes(20)))
struct LearnedOrderTests {
    private static let later = Timestamp(milliseconds: .max)

    /// A trip a day: who picks these items, one a minute.
    private func trips(_ walks: [[String]], oneGesture: Bool = false) -> [Trip] {
        var history = PurchaseHistory()
        for (day, walk) in walks.enumerated() {
            for (index, text) in walk.enumerated() {
                var purchase = Purchase(
                    entry: .sample(day * 100 + index), text: text, at: .seconds(day * 86_400 + index * 60))
                purchase.item = .sample(day * 100 + index)
                purchase.batch = .sample(oneGesture ? day : day * 100 + index)
                history.add(purchase)
            }
        }
        return history.trips
    }

    private func rows(_ items: [(text: String, aisle: String?)]) -> [ShownRow] {
        items.enumerated().map { index, item in
            var fields: Fields = ["text": .string(item.text)]
            fields["aisle"] = item.aisle.map { .string($0) }
            return ShownRow(item: Item(id: .sample(index), fields: fields))
        }
    }

    private func order(_ list: [String], after walks: [[String]]) -> [String] {
        let learned = LearnedOrder(of: trips(walks), at: Self.later)
        return rows(list.map { ($0, nil) }).byAisle([], learned: learned).map(\.item.text)
    }

    private let walk = ["apples", "bread", "cheese", "milk", "peas", "soap"]

    @Test("the next trip is in the order of past ones, in upper or lower case, and says why")
    func learns() {
        #expect(order(["soap", "Milk", "apples"], after: [walk]) == ["apples", "Milk", "soap"])
        #expect(order(["soap", "milk"], after: []) == ["soap", "milk"])
        let learned = LearnedOrder(of: trips([walk, walk]), at: Self.later)
        let milk = rows([("milk", nil), ("jam", nil)]).byAisle([], learned: learned)
        #expect(milk.map(\.usual) == [UsualPlace(position: 4, trips: 2), nil])
        // A trip of another length: its places count in proportion.
        let long = LearnedOrder(
            of: trips([walk, walk, (1...11).map { $0 == 7 ? "milk" : "other \($0)" }]), at: Self.later)
        #expect(rows([("milk", nil)]).byAisle([], learned: long)[0].usual == UsualPlace(position: 4, trips: 3))
    }

    @Test("one odd trip doesn't turn the order over, and a shop that was rebuilt is learned after four")
    func odd() {
        let reversed = Array(walk.reversed())
        for ordinary in 2...9 {
            let walks = Array(repeating: walk, count: ordinary)
            #expect(order(walk, after: walks + [reversed]) == walk, "\(ordinary) ordinary trips")
            #expect(order(reversed, after: walks + [reversed]) == walk)
        }
        func after(_ count: Int) -> [String] {
            order(walk, after: Array(repeating: walk, count: 20) + Array(repeating: reversed, count: count))
        }
        #expect(after(2) == walk)
        #expect(after(4) == reversed)
        // Two trips that disagree say nothing, so the list's order stays.
        #expect(order(walk, after: [walk, reversed]) == walk && order(reversed, after: [walk, reversed]) == reversed)
    }

    @Test("a small trip counts less than a large one")
    func small() {
        let large = ["bread", "butter", "cheese", "eggs", "ham", "honey", "jam", "milk", "peas", "soap"]
        let small = ["milk", "peas", "bread"]
        #expect(order(["milk", "bread"], after: [small, large, small]) == ["bread", "milk"])
        #expect(order(["bread", "milk"], after: [small, small, small]) == ["milk", "bread"])
    }

    @Test("an item without history stays behind the item that it follows on the list")
    func withoutHistory() {
        let list = ["new 1", "soap", "new 2", "new 3", "apples", "new 4"]
        #expect(order(list, after: [walk]) == ["new 1", "apples", "new 4", "soap", "new 2", "new 3"])
    }

    @Test("people's order of aisles goes before the learned one, which sorts within an aisle")
    func aisles() {
        let learned = LearnedOrder(of: trips([walk]), at: Self.later)
        let list = rows([
            ("soap", "Household"), ("jam", nil), ("milk", "Dairy"), ("cheese", "Dairy"), ("peas", "Frozen"),
            ("apples", "Produce"), ("apples", nil),
        ])
        func texts(_ order: [String]) -> [String] { list.byAisle(order, learned: learned).map(\.item.text) }
        #expect(texts([]) == ["apples", "cheese", "milk", "peas", "soap", "jam", "apples"])
        #expect(texts(["Household", "Dairy"]) == ["soap", "cheese", "milk", "apples", "peas", "jam", "apples"])
        let unknown = LearnedOrder(of: [], at: Self.later)
        #expect(list.byAisle(["Dairy"], learned: unknown) == list.byAisle(["Dairy"]))
    }

    @Test("what was marked off in one gesture, and a trip that goes on, teach nothing")
    func nothing() {
        let gesture = LearnedOrder(of: trips([walk], oneGesture: true), at: Self.later)
        #expect(gesture == LearnedOrder(of: [], at: Self.later))
        let end = Timestamp.seconds(5 * 60)
        let goingOn = end.advanced(byMilliseconds: Trip.maxPause - 1)
        #expect(LearnedOrder(of: trips([walk]), at: goingOn) == LearnedOrder(of: [], at: end))
        #expect(
            LearnedOrder(of: trips([walk]), at: goingOn.advanced(byMilliseconds: 1)) != LearnedOrder(of: [], at: end))
    }
}
