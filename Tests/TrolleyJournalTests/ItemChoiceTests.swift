import Testing
import TrolleyJournal

@Suite(.timeLimit(.minutes(20))) struct ItemChoiceTests {
    /// - Parameters:
    ///   - off: indices of items that are marked off.
    ///   - struck: indices of rows that are struck.
    private func rows(_ texts: [String], off: Set<Int> = [], struck: Set<Int> = []) -> [ShownRow] {
        texts.enumerated().map { index, text in
            let item = Item(
                id: .version7(at: Timestamp(milliseconds: 0), random: (0, UInt64(index))),
                markedOff: off.contains(index), fields: [Fields.text: .string(text)])
            return ShownRow(item: item, isStruck: struck.contains(index))
        }
    }

    @Test func `a text that one item matches chooses it, whatever the change`() {
        let rows = rows(["Milk", "Eggs"], off: [0])
        for operation in [nil, Operation.markOff, .unmark, .delete] {
            #expect(rows.choose("milk", for: operation) == .item(0))
        }
        #expect(rows.choose("jam") == .noMatch)
        #expect(rows.choose("") == .noMatch)
    }

    @Test func `of several matching items, the change decides if one remains`() {
        let rows = rows(["milk", "eggs", "milk", "milk"], off: [0, 2])
        #expect(rows.choose("milk", for: .markOff) == .item(3))
        #expect(rows.choose("milk", for: .unmark) == .ambiguous([0, 2, 3]))
        #expect(rows.choose("milk", for: .edit) == .ambiguous([0, 2, 3]))
        #expect(rows.choose("milk") == .ambiguous([0, 2, 3]))
    }

    @Test func `a struck row is chosen only if no other matches`() {
        let rows = rows(["milk", "milk", "eggs"], struck: [0, 2])
        #expect(rows.choose("milk") == .item(1))
        #expect(rows.choose("eggs") == .item(2))
    }

    @Test func `a search finds all that contain it, and otherwise what may be meant`() {
        var items = rows(["Milk", "Oat milk", "Eggs", "2 lemons", "Crème"]).map(\.item)
        items[2].fields[Fields.note] = .string("for the milkshake")
        items[3].fields[Fields.aisle] = .string("Fruit")
        #expect(items.matching("milk") == [0])
        #expect(items.found(by: "MILK") == [0, 1, 2])
        #expect(items.found(by: "2") == [3])
        #expect(items.found(by: "fruit") == [3])
        #expect(items.found(by: "milkk") == [0])
        #expect(items.found(by: "creme") == [4])
        #expect(items.found(by: "") == [])
        #expect(items.found(by: "soap") == [])
    }

    @Test(arguments: [
        ("CRÈME", true), ("créme", true), ("crme", true), ("creme", true), ("crèmes", true), ("crèème", true),
        ("crem", false),
        ("cremes", false), ("crm", false), ("", false),
    ])
    func `one Unicode scalar may be wrong`(typed: String, isFound: Bool) {
        let items = rows(["crème"]).map(\.item)
        // Three scalars are too few to guess.
        #expect(items.matching(typed) == (isFound ? [0] : []))
    }

    @Test func `a number is a position only where rows are numbered`() {
        let rows = rows(["7", "eggs", "2 l milk", "7 eggs", "2", "6", "jam"], struck: [1])
        #expect(rows.choose("3") == .noMatch)
        #expect(rows.choose("3", isNumbered: true) == .item(2))
        #expect(rows.choose("7", isNumbered: true) == .ambiguous([0, 6]), "it may be a text or a position")
        #expect(rows.choose("2", isNumbered: true) == .ambiguous([1, 4]), "a struck row keeps its position")
        for name in ["0", "-1", "8", "9223372036854775808"] {
            #expect(rows.choose(name, isNumbered: true) == .noMatch)
        }
    }
}
