import FoundationEssentials
import Subprocess
import Testing

/// `trolley shops`, shopping in one of them, and several lists as one.
@Suite(.timeLimit(.minutes(20))) struct ShopCommandTests {
    @Test func `a shop has its own order, an item says where it is bought, and both reach the others on the list`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Week")
                #expect(
                    try await alice("shops").hasPrefix("The list has no shops yet: trolley shops --add 'Corner shop'"))
                try await alice("add", "milk", "bread", "nails", "--aisle", "")
                try await alice("edit", "milk", "--aisle", "Dairy")
                try await alice("edit", "bread", "--aisle", "Bakery")
                try await alice("edit", "nails", "--shop", "Hardware")
                try await alice("aisles", "Dairy", "Bakery")
                try await alice("aisles", "--shop", "Corner", "Bakery", "Dairy")
                #expect(
                    try await alice("shops")
                        == "Corner  0 to buy there only  Bakery, Dairy\nHardware  1 to buy there only\n")

                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                #expect(try await bob("show", "--json") == alice("show", "--json"))
                #expect(
                    try await bob("show", "--json").contains(
                        #""shops":[{"name":"Corner","aisles":["Bakery","Dairy"]}]"#))
                try await bob("shopping", "on", "--at", "CORNER")
                #expect(
                    try await bob("show")
                        == "Week  3 to buy\nAt Corner:\nBakery\n1. [ ] bread  @Bakery\nDairy\n2. [ ] milk  @Dairy\nIn other shops:\n(no aisle)\n3. [ ] nails  at Hardware\n"
                )
                try await bob("off", "bread")
                #expect(try await bob("shopping", "on", "--json").contains(#""shopping":true"#))
                try await alice("sync")
                #expect(try await alice("show").contains("[x] bread"))
                try await alice("shops", "--remove", "hardware")
                #expect(
                    try await alice.fails("shops", "--remove", "hardware").contains(
                        "The list has no shop 'hardware'. It has: Corner."))
                #expect(try await alice("activity").contains("changed the shop 'Corner'"))
                try await alice("undo")
                #expect(try await alice("show").contains("nails  at Hardware"))
            }
        }
    }

    @Test func `several lists are shown and marked off as one, without a network`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/device")
            try await device("new", "Home")
            try await device("add", "milk, 1 l", "bread", "--aisle", "")
            try await device("new", "Party")
            try await device("add", "Milk, 2 l", "gin", "--aisle", "")
            #expect(
                try await device("show", "--list", "Home", "--with", "Party")
                    == "Home, Party  3 to buy\n1. [ ] milk, 1 l + 2 l  (Home, Party)\n2. [ ] bread  (Home)\n3. [ ] gin  (Party)\n"
            )
            #expect(
                try await device("off", "1", "--list", "Home", "--with", "Party").hasPrefix(
                    "Marked off milk (Home, Party).\n"))
            for list in ["Home", "Party"] { #expect(try await device("show", "--list", list).contains("[x] ")) }
            #expect(
                try await device("off", "milk", "--list", "Home", "--with", "Party").hasPrefix(
                    "milk is marked off already."))
            #expect(
                try await device("unmark", "milk", "--list", "Home", "--with", "Party", "--json").contains(
                    #"{"rows":[{"text":"milk","position":1,"markedOff":false,"#))
            #expect(
                try await device("shopping", "on", "--with", "Home", "--at", "Corner").contains(
                    "You are shopping at Corner."))
            #expect(try await device("show", "--list", "Home").contains("At Corner:"))
            #expect(try await device.fails("show", "--with", "Nowhere").contains("There is no list 'Nowhere'"))

            // What is bought in another shop is found, and comes last.
            try await device("edit", "gin", "--list", "Party", "--shop", "Off-licence")
            let shown = try await device("show", "--list", "Home", "--with", "Party")
            #expect(shown.contains("In other shops:\n3. [ ] gin  (Party)  at Off-licence\n"), "\(shown)")
            #expect(
                try await device("off", "gin", "--list", "Home", "--with", "Party", "--json").contains(
                    #""markedOff":true,"elsewhere":true"#))
        }
    }

    @Test(arguments: [
        ["shops", "--add", " "], ["shops", "--add", "a\nb"], ["shops", "--add", "a", "--remove", "b"],
        ["shopping", "off", "--at", "x"],
        ["shopping", "on", "--at", ""], ["aisles", "--shop", "x", "--why", "milk"], ["add", "milk", "--shop", ""],
    ])
    func `bad input is refused with a sentence, and changes nothing`(arguments: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/device")
            try await device("new", "Home")
            let before = try await device("show", "--json")
            #expect(try await device.run(arguments).status == .exited(64))
            #expect(try await device("show", "--json") == before)
        }
    }
}
