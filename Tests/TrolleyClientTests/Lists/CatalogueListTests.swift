import Testing
import TrolleyClient
import TrolleyJournal

/// Aisles of new items on a device with a language.
@Suite(.timeLimit(.minutes(20))) struct CatalogueListTests {
    private func list(_ language: String?) async throws -> ShoppingList {
        try await Device.inMemory(language: language).makeList(named: "Shop")
    }

    private func aisles(_ added: [AddedItem]) -> [String?] { added.map { $0.item.fields[Fields.aisle]?.string } }

    @Test func `a first-time item gets its aisle, in an ordinary entry that undo reverts`() async throws {
        let list = try await list("en")
        let added = try await list.add("bananas\n2 l semi-skimmed milk\nwashing powder\nspanner")
        #expect(aisles(added) == ["Produce", "Dairy", "Cleaning", nil])
        #expect(added[1].aisleReason == .catalogue(word: "semi-skimmed milk") && added[3].aisleReason == nil)
        #expect(
            try await list.state().items.map { $0.fields[Fields.aisle]?.string } == [
                "Produce", "Dairy", "Cleaning", nil,
            ])
        try await list.undo()
        #expect(try await list.state().items.isEmpty)
    }

    @Test func `an aisle that a person gives, now or earlier, or has removed, counts more`() async throws {
        let list = try await list("en")
        let given = try await list.add([NewItem(fields: ["text": "milk", "aisle": "Fridge"])])
        #expect(aisles(given) == ["Fridge"] && given[0].aisleReason == .given)
        let none = try await list.add([NewItem(fields: ["text": "bread", "aisle": ""])])
        #expect(aisles(none) == [nil])
        try await list.delete(given[0].item.id)
        let again = try await list.add("Milk")
        #expect(aisles(again) == ["Fridge"] && again[0].aisleReason == .taught)
        try await list.edit(again[0].item.id, ["aisle": .null])
        try await list.delete(again[0].item.id)
        #expect(aisles(try await list.add("milk")) == [nil])
    }

    @Test func `aisles are renamed and merged for all items as one gesture`() async throws {
        let list = try await list("en")
        try await list.add("milk\nbutter\nbread")
        func shown() async throws -> [String?] {
            try await list.state().items.map { $0.fields[Fields.aisle]?.string }
        }
        #expect(
            try await list.renameAisles([AisleRenaming("Dairy", to: "Fridge"), AisleRenaming("Bakery", to: "fridge")])
                == 3)
        #expect(try await shown() == ["Fridge", "Fridge", "Fridge"])
        #expect(try await list.state().aisles == ["Fridge"])
        try await list.undo()
        #expect(try await shown() == ["Dairy", "Dairy", "Bakery"])
        #expect(try await list.state().aisles.isEmpty)
        #expect(try await list.renameAisles([AisleRenaming("Cellar", to: "Fridge")]) == nil)
        await #expect(throws: DeviceError.self) {
            try await list.renameAisles([AisleRenaming("Dairy", to: String(repeating: "x", count: 5000))])
        }
        #expect(try await shown() == ["Dairy", "Dairy", "Bakery"])
    }

    @Test func `aisles are named in the list's language`() async throws {
        let german = try await list("de")
        try await german.add("Milch")
        #expect(try await german.aisle(forNew: "Brot")?.aisle == "Backwaren")
        #expect(try await german.catalogue()?.language == "de")
        // The list of somebody who writes German, on a device whose language is English.
        let english = try await list("en")
        try await english.add([NewItem(fields: ["text": "Quark", "aisle": "Milchprodukte"])])
        #expect(aisles(try await english.add("bread\nKnäckebrot")) == ["Backwaren", "Backwaren"])
    }

    @Test func `without a language, or in an unknown one, nothing gets an aisle from a catalogue`() async throws {
        for language in [nil, "tlh", ""] {
            let list = try await list(language)
            #expect(aisles(try await list.add("milk")) == [nil])
            #expect(try await list.completions(of: "milk").isEmpty && list.device.catalogue == nil)
        }
    }

    @Test func `completion has what was bought, then the catalogue`() async throws {
        let list = try await list("en")
        let added = try await list.add("Miller's bread")
        try await list.markOff(added[0].item.id)
        let texts = try await list.completions(of: "mil", limit: 3).map(\.text)
        #expect(texts.count == 3 && texts[0] == "Miller's bread" && texts[1] == "milk")
    }
}
