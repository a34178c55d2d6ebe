import Subprocess
import Testing

/// What `trolley` makes of the catalogue.
@Suite(.timeLimit(.minutes(20))) struct CatalogueCommandTests {
    private func withDevice(_ language: String, _ body: (CommandLineDevice) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home", language: language)
            try await device("new", "Shop", "--local")
            try await body(device)
        }
    }

    @Test func `a new item gets its aisle and an explanation, unless the person gives one`() async throws {
        try await withDevice("en") { device async throws in
            #expect(try await device("add", "semi-skimmed milk").contains("Dairy, because of semi-skimmed milk."))
            let several = try await device("add", "bananas", "spanner", "washing powder")
            #expect(several.contains("bananas: Produce, because of banana.") && !several.contains("spanner:"))
            let answer = try await device("add", "oat biscuits", "--json")
            #expect(answer.contains(#""aisle":"Sweets & snacks","reason":"catalogue","because":"biscuit""#))
            #expect(try await device("add", "cheese", "--aisle", "Fridge", "--json").contains(#""reason":"given""#))
            #expect(try await device("show").contains("Fridge\n"))
            #expect(try await device("add", "butter", "--aisle", "", "--json").contains(#""aisles":[]"#))
            let undone = try await device("add", "bread")
            #expect(undone.contains("Bakery"))
            try await device("undo")
            #expect(try await !device("show").contains("Bakery"))
        }
    }

    @Test func `aisles can be explained and browsed, and items completed`() async throws {
        try await withDevice("de") { device async throws in
            #expect(try await device("aisles", "--why", "H-Milch 1,5 %") == "Milchprodukte, because of Milch.\n")
            #expect(
                try await device("aisles", "--why", "Weidemilch", "--json").contains(
                    #""aisle":"Milchprodukte","reason":"catalogue","because":"Milch""#))
            #expect(try await device("aisles", "--why", "xyzzy").contains("No aisle is known for 'xyzzy'"))
            #expect(try await device("aisles", "--browse", "milchprodukte").contains("Quark\n"))
            #expect(try await device.fails("aisles", "--browse", "Dairy").contains("Obst & Gemüse"))
            #expect(try await device("suggest", "voll").contains("Vollkornbrot  Backwaren"))
            #expect(try await device("suggest", "--json").contains(#""catalogue":[]"#))
            #expect(try await device.run("aisles", "Dairy", "--why", "x").status == .exited(64))
        }
    }

    @Test func `an aisle gets another name for all its items, as one change`() async throws {
        try await withDevice("en") { device async throws in
            try await device("add", "milk", "butter", "bread", "yoghurt")
            try await device("delete", "yoghurt")
            let renamed = try await device("aisles", "--rename", "dairy", "Fridge")
            #expect(renamed.hasPrefix("Fridge  2 to buy\nBakery  1 to buy\n"))
            for item in ["yoghurt", "cheddar"] {
                #expect(try await device("add", item, "--json").contains(#""aisle":"Fridge""#), "\(item)")
            }
            #expect(
                try await device("aisles", "--rename", "Bakery", "fridge", "--json").contains(#""aisles":["Fridge"]"#))
            try await device("undo")
            #expect(try await device("aisles", "--json").contains(#""aisles":["Fridge","Bakery"]"#))
            #expect(try await device("aisles", "--rename", "Bakery", "", "--json").contains(#""aisles":["Fridge"]"#))
            #expect(
                try await device("aisles", "--rename", "Fridge", "Fridge", "--json").contains(#""aisles":["Fridge"]"#))
            #expect(try await device.fails("aisles", "--rename", "Cellar", "Fridge").contains("It has: Fridge."))
            for wrong in [["Fridge"], ["a", "b", "c"], ["Fridge", "a\nb"], ["Fridge", "x", "--reset"]] {
                #expect(try await device.run(["aisles", "--rename"] + wrong).status == .exited(64))
            }
        }
    }

    @Test func `the language is an option's, the environment's, or the system's`() async throws {
        try await withDevice("en") { device async throws in
            #expect(try await device("aisles", "--why", "bread", "--language", "de").contains("No aisle"))
            #expect(try await device("aisles", "--why", "bread", "--language", "none").contains("No aisle"))
            #expect(try await device.run("show", "--language", "tlh").status == .exited(64))
            var other = device
            other.language = "tlh"
            #expect(try await other.run("show").status == .exited(64))
        }
    }
}
