import Testing
import TrolleyJournal

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct ItemNameTests {
    let items = ["Milk", "Brown bread", "Eggs", "milk", "7", "Oat milk", "White bread"].enumerated().map {
        index, text in
        Item(
            id: .version7(at: Timestamp(milliseconds: 0), random: (0, UInt64(index))), markedOff: index == 3,
            fields: [Fields.text: .string(text)])
    }

    func find(_ name: String, for operation: TrolleyJournal.Operation? = nil) throws -> String {
        let item = try ItemName(items: items).find(name, for: operation)
        return "\((items.firstIndex { $0.id == item.id } ?? -1) + 1) \(item.text)"
    }

    @Test func `by id, by position, by text, by its beginning, by a word, by part, with a slip`() throws {
        #expect(try find(items[5].id.description) == "6 Oat milk")
        #expect(try find("3") == "3 Eggs")
        #expect(try find("EGGS") == "3 Eggs")
        #expect(try find("eg") == "3 Eggs")
        #expect(try find("white") == "7 White bread")
        #expect(try find("own") == "2 Brown bread")
        #expect(try find("egggs") == "3 Eggs")
    }

    @Test func `a whole text goes before a part of another`() throws {
        #expect(try find("milk", for: .markOff) == "1 Milk")
        #expect(try find("milk", for: .unmark) == "4 milk")
    }

    @Test func `what fits several is asked about`() {
        for name in ["bread", "milk", "mil", "7"] { #expect(throws: CommandError.self) { try find(name) } }
    }

    @Test func `what fits none is an error`() {
        for name in ["", "8", "0", "-1", "butter", "01a1feae-0788-7e91-838a-a56dc0f75f6c"] {
            #expect(throws: CommandError.self) { try find(name) }
        }
    }

    @Test func `of many that fit, a few are named, and how many more there are`() throws {
        let many = (1...30).map { number in
            Item(
                id: .version7(at: Timestamp(milliseconds: 0), random: (1, UInt64(number))), markedOff: false,
                fields: [Fields.text: .string("bread \(number)")])
        }
        let error = try #require(throws: CommandError.self) { _ = try ItemName(items: many).find("bread") }
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 10 && lines[8] == "  8. bread 8" && lines[9] == "  … and 22 more")
        #expect(CommandError.abbreviatedList(["a", "b"]) == "a\nb")
    }
}
