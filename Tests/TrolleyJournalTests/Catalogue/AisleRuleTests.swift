import Testing
import TrolleyJournal

/// What decides the aisle of a new item: the household, then the catalogue.
@Suite(.timeLimit(.minutes(20))) struct AisleRuleTests {
    private static let english = table("en", dairy: "Dairy", "milk, butter, cheese, yoghurt", bakery: "Bakery", "bread")
    private static let german = table("de", dairy: "Milchprodukte", "Milch, Butter", bakery: "Backwaren", "Brot")
    private static let names = [english, german].compactMap { $0 }.map { ($0.language, $0.aisles.map(\.name)) }

    private static func table(
        _ language: String, dairy: String, _ milk: String, bakery: String, _ bread: String
    ) -> Catalogue? {
        Catalogue(Array("language: \(language)\n[dairy] \(dairy)\n\(milk)\n[bakery] \(bakery)\n\(bread)\n".utf8))
    }

    /// - Parameter items: text and aisle of the list's items; an aisle `null` is removed.
    private func choice(
        of text: String, on items: [(String, String?)] = [], catalogues: [Catalogue?] = [english],
        archived: PurchaseHistory = PurchaseHistory()
    ) -> AisleChoice? {
        var entries: [ConfirmedEntry] = []
        for (index, (text, aisle)) in items.enumerated() {
            var fields: Fields = ["text": .string(text)]
            if let aisle { fields["aisle"] = aisle == "null" ? .null : .string(aisle) }
            entries.append(.sample(2 * index + 1, .add, index + 1, ["text": .string(text)]))
            entries.append(.sample(2 * index + 2, .edit, index + 1, fields))
        }
        return AisleRule(
            for: [text], on: ListFold(folding: entries), archived: archived, catalogues: catalogues.compactMap { $0 }
        ).choice(of: text)
    }

    @Test func `the catalogue places what nobody has placed`() {
        #expect(choice(of: "oat milk") == AisleChoice(aisle: "Dairy", reason: .catalogue(word: "milk")))
        #expect(choice(of: "spanner") == nil)
        #expect(choice(of: "milk", catalogues: []) == nil)
    }

    @Test func `what the household taught counts more than the catalogue`() {
        #expect(choice(of: "MILK", on: [("milk", "Fridge")]) == AisleChoice(aisle: "Fridge", reason: .taught))
        #expect(choice(of: "spanner", on: [("spanner", "Shed")])?.aisle == "Shed")
        var archived = PurchaseHistory()
        archived.add(
            Purchase(
                entry: EntryID(.version7(at: Timestamp(milliseconds: 1), random: (1, 2))), text: "milk",
                aisle: "Cellar",
                at: Timestamp(milliseconds: 1)))
        #expect(choice(of: "milk", archived: archived) == AisleChoice(aisle: "Cellar", reason: .taught))
    }

    @Test func `an aisle that somebody removed stays away`() {
        #expect(choice(of: "milk", on: [("milk", "null")]) == nil)
        // An item that never had one teaches nothing.
        #expect(choice(of: "milk", on: [("milk", nil)])?.aisle == "Dairy")
    }

    @Test func `an aisle that takes the place of the catalogue's gets the rest of it`() {
        let fridge = [("milk", "Fridge"), ("butter", "fridge")] as [(String, String?)]
        #expect(choice(of: "cheese", on: fridge)?.aisle.lowercased() == "fridge")
        #expect(choice(of: "bread", on: fridge) == AisleChoice(aisle: "Bakery", reason: .catalogue(word: "bread")))
        // One item is an exception, and so is a minority.
        #expect(choice(of: "cheese", on: [("milk", "Fridge")])?.aisle == "Dairy")
        let most = fridge + [("goat cheese", "Dairy"), ("yoghurt", "Dairy")]
        #expect(choice(of: "cheese", on: most) == AisleChoice(aisle: "Dairy", reason: .catalogue(word: "cheese")))
    }

    @Test func `the aisle is named in the list's language, and the item read in the device's first`() {
        let both = [Self.english, Self.german]
        #expect(
            choice(of: "bread", catalogues: both) == AisleChoice(aisle: "Backwaren", reason: .catalogue(word: "bread")))
        #expect(
            choice(of: "Brot", catalogues: both) == AisleChoice(aisle: "Backwaren", reason: .catalogue(word: "Brot")))
    }

    @Test func `a list's language is that of its aisles' names`() {
        func language(_ aisles: String...) -> String? {
            let entries = aisles.enumerated().map { index, aisle in
                ConfirmedEntry.sample(index + 1, .add, index + 1, ["text": "thing", "aisle": .string(aisle)])
            }
            return ListFold(folding: entries).aisleLanguage(among: Self.names)
        }
        #expect(language() == nil && language("Shed") == nil)
        #expect(language("milchprodukte") == "de" && language("Dairy", "Bakery", "Backwaren") == "en")
        #expect(language("Dairy", "Backwaren") == nil)
        let ordered = ListFold(folding: [.sample(1, .recolourList, nil, ["aisles": "Backwaren\nDinge"])])
        #expect(ordered.aisleLanguage(among: Self.names) == "de")
    }

    @Test func `completion has what was bought first, each text once, and nothing that is wanted`() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "Milk powder"]), .sample(2, .markOff, 1),
            .sample(3, .add, 2, ["text": "butter"]),
            .sample(4, .add, 3, ["text": "MILK"]), .sample(5, .markOff, 3),
        ]
        let history = PurchaseHistory(entries)
        let state = ListFold(folding: entries).state
        func texts(_ text: String, limit: Int = 9) -> [String] {
            history.completions(
                of: text, for: state, at: Timestamp(milliseconds: 0), catalogue: Self.english, limit: limit
            ).map(\.text)
        }
        #expect(Set(texts("mi")) == ["Milk powder", "MILK"])
        #expect(texts("b") == ["bread"] && texts("ch") == ["cheese"])
        #expect(texts("mi", limit: 1).count == 1 && texts("b", limit: 0).isEmpty)
    }
}
