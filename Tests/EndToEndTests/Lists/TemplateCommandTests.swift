import FoundationEssentials
import Testing

/// `trolley new --from`, and items that come back every few days, with the real program.
@Suite(.timeLimit(.minutes(20))) struct TemplateCommandTests {
    @Test func `a list begins with another one's items, or with some of them`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "The usual", "--local", "--colour", "green")
            try await device("add", "milk, 2 l", "bread", "eggs")
            try await device("off", "milk")
            #expect(try await device("new", "Groceries", "--local", "--from", "the usual").contains("It has 3 items"))
            let shown = try await device("show")
            #expect(shown.contains("[ ] milk, 2 l") && shown.contains("[ ] bread") && shown.contains("[ ] eggs"))
            #expect(try await device.show().contains(#""colour":"green""#))
            try await device("new", "Few", "--local", "--from", "The usual", "eggs", "milk")
            #expect(try await device("show").split(separator: "\n").count == 3)
            #expect(try await device("show", "--list", "The usual").contains("[x] milk"), "it stays as it was")

            #expect(try await device.fails("new", "X", "--from", "nothing").contains("no list 'nothing'"))
            #expect(try await device.fails("new", "X", "--from", "Few", "tea").contains("no item 'tea'"))
            #expect(try await device.fails("new", "X", "milk").contains("--from LIST"))
            try await device("new", "Empty", "--local")
            #expect(try await device.fails("new", "X", "--from", "Empty").contains("no item on 'Empty'"))
            #expect(!(try await device("lists").contains("X ")), "bad input makes nothing")
        }
    }

    @Test func `an item that comes back says so where it is suggested, and wrong days are told`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await device("add", "milk", "--every", "1d")
            try await device("add", "salt")
            try await device("edit", "salt", "--every", "2w")
            #expect(try await device.show().contains(#""fields":{"every":"P14D","text":"salt"}"#))
            try await device("off", "milk", "salt")
            let suggested = try await device("suggest")
            #expect(suggested.contains("milk") && suggested.contains("every day"))
            #expect(suggested.contains("every 14 days") && !suggested.contains("due"))
            #expect(try await device("suggest", "--json").contains(#""every":"P1D""#))
            try await device("edit", "salt", "--every", "")
            #expect(!(try await device("suggest").contains("every 14 days")))
            for wrong in ["0d", "1m", "often", "-1d", "3651d"] {
                #expect(try await device.fails("edit", "milk", "--every=\(wrong)").contains("days or weeks"))
                #expect(try await device.fails("add", "tea", "--every=\(wrong)").contains("days or weeks"))
            }
            #expect(!(try await device.show().contains("tea")))
        }
    }
}
