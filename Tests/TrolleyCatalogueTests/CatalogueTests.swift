import Testing
import TrolleyCatalogue
import TrolleyJournal

@Suite(.timeLimit(.minutes(20))) struct CatalogueTests {
    /// The aisle's id; `-`: none.
    private func aisle(_ text: String, _ language: String) throws -> String {
        try #require(Catalogues.catalogue(for: language)).match(text)?.aisle.id ?? "-"
    }

    @Test(
        "a word that looks like another aisle's doesn't mislead",
        arguments: [
            ("coconut milk", "en", "tins"), ("peanut butter", "en", "breakfast"), ("dish soap", "en", "cleaning"),
            ("cat food", "en", "pets"), ("baby wipes", "en", "baby"), ("frozen peas", "en", "frozen"),
            ("tomato paste", "en", "tins"), ("ice cream", "en", "frozen"), ("shaving cream", "en", "toiletries"),
            ("milk chocolate", "en", "snacks"), ("chocolate milk", "en", "dairy"), ("tomato soup", "en", "tins"),
            ("baby spinach", "en", "produce"), ("dog biscuits", "en", "pets"), ("black pepper", "en", "sauces"),
            ("red pepper", "en", "produce"), ("ginger beer", "en", "drinks"), ("butter beans", "en", "pasta"),
            ("Milchreis", "de", "dairy"), ("Buttermilch", "de", "dairy"), ("Kokosmilch", "de", "tins"),
            ("Katzenfutter", "de", "pets"), ("Hähnchenbrustfilet", "de", "meat"), ("Vollkornnudeln", "de", "pasta"),
            ("Sonnenmilch", "de", "toiletries"), ("Erdnussbutter", "de", "breakfast"), ("Erdbeereis", "de", "frozen"),
            ("Dorschfilet", "de", "fish"), ("Babyspinat", "de", "produce"), ("TK-Fischfilet", "de", "frozen"),
            ("lait de coco", "fr", "tins"), ("beurre de cacahuète", "fr", "breakfast"),
            ("papier toilette", "fr", "household"),
            ("eau de javel", "fr", "cleaning"), ("pommes de terre", "fr", "produce"), ("noix de coco", "fr", "produce"),
            ("comida para gatos", "es", "pets"), ("papel higiénico", "es", "household"),
            ("leche de coco", "es", "tins"),
            ("latte detergente", "it", "toiletries"), ("carta igienica", "it", "household"),
            ("burro di arachidi", "it", "breakfast"),
            ("pindakaas", "nl", "breakfast"), ("kattenvoer", "nl", "pets"), ("kokosmelk", "nl", "tins"),
        ])
    func traps(text: String, language: String, expected: String) throws {
        #expect(try aisle(text, language) == expected)
    }

    @Test(
        "amounts, percentages, case, accents, endings and how words are joined don't matter",
        arguments: [
            ("H-Milch 1,5 %", "de", "dairy"), ("MILCH 3.8%", "de", "dairy"), ("2 l semi-skimmed milk", "en", "dairy"),
            ("500g pasta", "en", "pasta"), ("2x eggs", "en", "dairy"), ("toilet paper, 9 rolls", "en", "household"),
            ("tooth paste", "en", "toiletries"), ("teabags", "en", "coffee"), ("ice-cream", "en", "frozen"),
            ("yoghurt", "en", "dairy"), ("yogurts", "en", "dairy"), ("strawberries", "en", "produce"),
            ("tomatoes", "en", "produce"), ("mozarella", "en", "dairy"), ("Kaese", "de", "dairy"),
            ("Käse", "de", "dairy"),
            ("Ka\u{308}se", "de", "dairy"), ("Apfel", "de", "produce"), ("Äpfel", "de", "produce"),
            ("crème fraiche", "fr", "dairy"), ("œufs", "fr", "dairy"), ("uovo", "it", "dairy"),
            ("nuez", "es", "snacks"),
            ("avocado's", "nl", "produce"), ("citroen", "nl", "produce"), ("aardbei", "nl", "produce"),
        ])
    func forms(text: String, language: String, expected: String) throws {
        #expect(try aisle(text, language) == expected)
    }

    @Test(
        "what stands beside the thing moves it",
        arguments: [
            ("tinned peaches", "en", "tins"), ("peaches in syrup", "en", "tins"), ("2 tins of tomatoes", "en", "tins"),
            ("6 cans of beer", "en", "alcohol"), ("dried mango", "en", "snacks"), ("food for cats", "en", "pets"),
            ("plant-based mince", "en", "deli"), ("Tomaten (Dose)", "de", "tins"),
            ("gefrorene Himbeeren", "de", "frozen"),
            ("Futter für Katzen", "de", "pets"), ("Dosenpfirsiche", "de", "tins"), ("thon frais", "fr", "fish"),
            ("épinards surgelés", "fr", "frozen"), ("maíz en lata", "es", "tins"),
            ("verdure surgelate", "it", "frozen"),
            ("diepvriesspinazie", "nl", "frozen"), ("tonijn uit blik", "nl", "tins"),
        ])
    func rules(text: String, language: String, expected: String) throws {
        #expect(try aisle(text, language) == expected)
    }

    @Test(
        "unknown words get no aisle",
        arguments: [
            ("xyzzy", "en"), ("call mum", "en"), ("post office", "en"), ("dentist", "en"), ("something nice", "en"),
            ("", "en"), ("   ", "en"), ("12", "en"), ("2 kg", "en"), ("🥛", "en"), ("牛乳", "en"), ("молоко", "de"),
            ("Zahnarzt anrufen", "de"), ("Preis", "de"), ("Rakete", "de"), ("Kreis", "de"), ("Genuss", "de"),
            ("Überweisung", "de"), ("appeler maman", "fr"), ("llamar al médico", "es"), ("chiamare Anna", "it"),
            ("tandarts bellen", "nl"),
        ])
    func unknown(text: String, language: String) throws {
        #expect(try aisle(text, language) == "-")
    }

    @Test("the word that decided is given as the catalogue writes it")
    func explanation() throws {
        let english = try #require(Catalogues.catalogue(for: "en")?.match("2 l organic SKIMMED goats’ milk"))
        #expect(english.aisle.name == "Dairy" && english.word == "goat milk")
        let german = try #require(Catalogues.catalogue(for: "de")?.match("Weidemilch 1,5 %"))
        #expect(german.aisle.name == "Milchprodukte" && german.word == "Milch")
        #expect(Catalogues.catalogue(for: "en")?.match("frozen haggis")?.word == "frozen")
    }

    @Test("hostile text costs no more than a few words, and is never given back")
    func badInput() throws {
        let catalogue = try #require(Catalogues.catalogue(for: "de"))
        let marks = "Ka" + String(repeating: "\u{308}", count: 10_000) + "se"
        let texts = [
            String(repeating: "a", count: 10_000), String(repeating: "Milch", count: 2_000),
            String(repeating: "frei ", count: 10_000) + "Milch", marks, String(repeating: "\u{0}", count: 10_000),
            "<script>alert(1)</script>", "\u{202E}hcliM", String(repeating: "-", count: 10_000), "%s%n\\\"'`$(rm)",
        ]
        let clock = ContinuousClock()
        for text in texts {
            let taken = clock.measure {
                for _ in 0..<20 { _ = catalogue.match(text) }
                _ = catalogue.completions(of: text, limit: 10)
            }
            #expect(taken < .seconds(10), "\(text.prefix(20))")
        }
        #expect(catalogue.match("<img src=x onerror=alert(1)> Milch")?.word == "Milch")
        #expect(catalogue.match(String(repeating: "frei ", count: 10_000) + "Milch") == nil)
    }

    @Test("completion begins with what begins so, then takes later words and parts of words")
    func completion() throws {
        let catalogue = try #require(Catalogues.catalogue(for: "en"))
        let milk = catalogue.completions(of: "milk", limit: 200).map(\.word)
        #expect(milk.first == "milk" && milk.contains("whole milk") && milk.contains("buttermilk"))
        let places = try ["milkshake", "whole milk", "buttermilk"].map { try #require(milk.firstIndex(of: $0)) }
        #expect(places == places.sorted())
        #expect(catalogue.completions(of: "MÍLK", limit: 3).count == 3)
        #expect(catalogue.completions(of: "b", limit: 5).allSatisfy { $0.word.hasPrefix("b") })
        for text in ["", "  ", "12", "qqqq"] { #expect(catalogue.completions(of: text, limit: 5).isEmpty) }
        #expect(catalogue.completions(of: "milk", limit: 0).isEmpty)
    }

    @Test("an aisle can be browsed")
    func browsing() throws {
        let catalogue = try #require(Catalogues.catalogue(for: "de"))
        let dairy = catalogue.words(in: "dairy")
        #expect(dairy.first == "Milch" && dairy.contains("Quark"))
        // Spelling variants and endings are matched, and not offered.
        #expect(!dairy.contains("Topfen") && !dairy.contains { $0.hasPrefix("-") })
        #expect(catalogue.words(in: "nowhere").isEmpty)
    }
}
