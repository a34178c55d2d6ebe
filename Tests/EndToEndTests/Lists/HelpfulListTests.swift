import FoundationEssentials
import Subprocess
import Testing

/// Additions without duplicates, suggestions, and aisles.
@Suite(.timeLimit(.minutes(20))) struct HelpfulListTests {
    private func withDevice(_ body: (CommandLineDevice) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await body(device)
        }
    }

    @Test func `a listed item is not added again, a marked-off one comes back, and undo reverts that`()
        async throws
    {
        try await withDevice { device in
            try await device("add", "milk", "eggs")
            try await device("off", "eggs")
            let answer = try await device("add", "MILK", "2x eggs", "jam")
            #expect(answer.contains("Added jam.") && answer.contains("Back on the list: eggs."))
            #expect(answer.contains("On the list already: milk. To add it once more: trolley add --again"))
            #expect(try await device("show").contains("2. [ ] eggs × 2\n3. [ ] jam"))
            try await device("undo")
            #expect(try await device("show").contains("2. [x] eggs\n"))
            #expect(try await device("add", "milk", "--json").contains(#""present":[""#))
            try await device("add", "milk", "--again")
            #expect(try await device("show").ranges(of: "milk").count == 2)
        }
    }

    @Test func `items are copied from another list`() async throws {
        try await withDevice { device in
            try await device("add", "milk, 2 l", "eggs", "jam")
            try await device("off", "jam")
            try await device("new", "Party", "--local")
            try await device("add", "eggs")
            try await device("copy", "--from", "Shop")
            #expect(try await device("show").contains("1. [ ] eggs\n2. [ ] milk, 2 l\n"))
            #expect(try await !device("show").contains("jam"))
            try await device("copy", "--from", "Shop", "jam")
            #expect(try await device("show").contains("3. [ ] jam"))
            try await device("undo")
            #expect(try await !device("show").contains("jam"))
            #expect(try await device.fails("copy", "--from", "Party").contains("Name another list"))
        }
    }

    @Test func `purchased items are suggested, also in the shell, until they are on the list`() async throws {
        try await withDevice { device in
            try await device("add", "oat milk, 2 l", "eggs")
            try await device("off", "oat milk", "eggs")
            #expect(try await device("suggest").recent.contains("oat milk, 2 l  bought once, last just now"))
            #expect(try await device("suggest", "mi", "--json").contains(#""text":"oat milk","quantity":"2 l""#))
            #expect(try await !device("suggest", "mi").contains("eggs"))
            let completed = try await Programs.output(
                of: .name("env"), "TROLLEY_HOME=\(device.home)", "TROLLEY_LANGUAGE=none",
                "\(Programs.directory)/trolley", "---completion",
                "add", "--", "positional@0", "2", "0", "trolley", "add", "")
            #expect(completed.contains("oat milk") && completed.contains("eggs"))
            try await device("add", "oat milk")
            #expect(try await !device("suggest").contains("oat milk"))
        }
    }

    @Test func `items stand by aisle, in the list's own order, and a new one is found where it was last time`()
        async throws
    {
        try await withDevice { device in
            try await device("add", "soap")
            try await device("add", "bread", "--aisle", "Bakery")
            try await device("add", "milk", "butter", "--aisle", "Dairy")
            #expect(
                try await device("show")
                    == "Shop  4 to buy\nBakery\n1. [ ] bread  @Bakery\nDairy\n2. [ ] milk  @Dairy\n3. [ ] butter  @Dairy\n(no aisle)\n4. [ ] soap\n"
            )
            try await device("aisles", "Dairy", "Bakery")
            #expect(try await device("show").contains("Dairy\n1. [ ] milk  @Dairy\n2. [ ] butter  @Dairy\nBakery\n3. "))
            #expect(try await device("show", "--json").contains(#""aisles":["Dairy","Bakery"]"#))
            // The number is the one that `show` prints.
            try await device("delete", "1")
            #expect(try await !device("show").contains("milk"))
            try await device("add", "Milk")
            #expect(try await device("show").contains("2. [ ] Milk  @Dairy"))
            try await device("undo")
            try await device("undo")
            try await device("undo")
            #expect(try await device("aisles").hasPrefix("Bakery  1 to buy\nDairy  2 to buy\n"))
        }
    }

    @Test func `the positions in JSON are the numbers that other commands take`() async throws {
        try await withDevice { device in
            try await device("add", "soap")
            try await device("add", "bread", "--aisle", "Bakery")
            try await device("add", "milk", "butter", "--aisle", "Dairy")
            try await device("shopping", "on")
            try await device("delete", "milk")
            #expect(try await device("show").contains("2. [-] milk  @Dairy  deleted\n3. [ ] butter"), "its own, too")
            struct Shown: Decodable {
                struct Item: Decodable {
                    var text: String
                    var position: Int
                }
                var items: [Item]
                var struck: [Item]
            }
            let shown = try JSONDecoder().decode(Shown.self, from: Data(try await device.show().utf8))
            #expect(shown.items.map(\.text) == ["soap", "bread", "butter"], "in the list's order")
            #expect(shown.items.map(\.position) == [4, 1, 3] && shown.struck.map(\.position) == [2])
            for item in shown.items {
                #expect(try await device("off", "\(item.position)").contains("Marked off \(item.text)."))
            }
            // For a list on this device alone, the Activity is the device's own entries.
            let activity = try await device("activity")
            #expect(activity.contains("You marked off 'butter'\n") && activity.contains("You deleted 'milk'\n"))
            #expect(!activity.contains("not sent yet") && activity.contains("You called the list 'Shop'\n"))
        }
    }

    @Test func `while shopping a row that somebody deletes stays, struck through, and no number changes`() async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk", "eggs", "jam", "tea", "--aisle", "Shelf")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                try await alice("aisles", "Fridge", "Shelf")
                try await bob("sync")
                #expect(try await bob("show", "--json") == alice("show", "--json"), "the order of aisles is synced")
                try await alice("shopping", "on")
                try await bob("delete", "eggs")
                try await bob("edit", "tea", "--aisle", "Fridge")
                try await alice("sync")
                let shown = try await alice("show")
                #expect(shown.contains("2. [-] eggs  @Shelf  deleted\n3. [ ] jam  @Shelf\n4. [ ] tea  @Shelf"))
                #expect(shown.contains("3 to buy"))
                #expect(try await alice.fails("off", "2").contains("'eggs' was deleted while you were shopping"))
                #expect(try await alice("off", "3").contains("Marked off jam."))
                try await alice("apply")
                #expect(try await alice("show").contains("Fridge\n1. [ ] tea  @Fridge\nShelf\n2. [ ] milk"))
                #expect(try await !alice("show").contains("eggs"))
            }
        }
    }
}
