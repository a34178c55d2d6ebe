import Testing
import TrolleyJournal

/// Aisles that are renamed or merged at once for all items.
@Suite(.timeLimit(.minutes(20))) struct AisleRenamingTests {
    /// A list of items with their aisles, in this order, followed by other entries.
    private func fold(_ items: [(String, String?)], then entries: [ConfirmedEntry] = []) -> ListFold {
        let adds = items.enumerated().map { index, item in
            var fields: Fields = ["text": .string(item.0)]
            if let aisle = item.1 { fields["aisle"] = .string(aisle) }
            return ConfirmedEntry.sample(index + 1, .add, index + 1, after: index == 0 ? nil : index, fields)
        }
        return ListFold(folding: adds + entries)
    }

    /// Folds the changes as one gesture, and answers the list afterwards.
    private func performing(_ drafts: [EntryDraft], on fold: ListFold) -> ListFold {
        var fold = fold
        for (index, draft) in drafts.enumerated() {
            let number = Int(fold.through.rawValue) + 1
            let entry = draft.entry(
                id: .sample(1000 + number), batch: .sample(9), deviceSequence: Int64(1000 + index))
            fold.apply(
                ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: Int64(number)), author: .sample(1),
                    device: .sample(1), madeAt: .seconds(1000 + number), receivedAt: .seconds(1000 + number)))
        }
        return fold
    }

    private func aisles(_ fold: ListFold) -> [String?] { fold.state.items.map { $0.fields[Fields.aisle]?.string } }

    private func choice(of text: String, on fold: ListFold, _ catalogues: [Catalogue] = []) -> AisleChoice? {
        AisleRule(for: [text], on: fold, catalogues: catalogues).choice(of: text)
    }

    @Test func `a renamed aisle has its name on all items that show, however they spell it, and in the order`() {
        let before = fold(
            [("milk", "Dairy"), ("butter", "dairy "), ("bread", "Bakery"), ("soap", nil)],
            then: [.sample(5, .markOff, 2), .sample(6, .recolourList, nil, ["aisles": "Dairy\nBakery"])])
        let drafts = before.drafts(renaming: [AisleRenaming("DAIRY", to: "Fridge")])
        let after = performing(drafts, on: before)
        #expect(drafts.count == 3)
        #expect(aisles(after) == ["Fridge", "Fridge", "Bakery", nil])
        #expect(after.state.aisles == ["Fridge", "Bakery"])
        // Nobody's mark goes.
        #expect(after.state.items[1].markedOff)
        #expect(after.state.name == before.state.name && after.state.colour == before.state.colour)
    }

    @Test func `two aisles of one name become one, spelled as the other is`() {
        let before = fold([("milk", "Dairy"), ("cheese", "Counter"), ("bread", "Bakery")])
        let after = performing(before.drafts(renaming: [AisleRenaming("Counter", to: "dairy")]), on: before)
        #expect(aisles(after) == ["Dairy", "Dairy", "Bakery"] && after.state.aisles == ["Dairy", "Bakery"])
    }

    @Test func `names are exchanged at the same time`() {
        let before = fold([("milk", "A"), ("bread", "B")])
        let after = performing(
            before.drafts(renaming: [AisleRenaming("A", to: "B"), AisleRenaming("B", to: "A")], order: ["B", "A"]),
            on: before)
        #expect(aisles(after) == ["B", "A"] && after.state.aisles == ["A", "B"])
    }

    @Test func `an aisle without a name goes`() {
        let before = fold([("milk", "Dairy"), ("bread", "Bakery")])
        for name in [nil, "", " \u{A0}"] {
            let after = performing(before.drafts(renaming: [AisleRenaming("Dairy", to: name)]), on: before)
            #expect(aisles(after) == [nil, "Bakery"] && after.state.aisles == ["Bakery"])
        }
    }

    @Test func `nothing changes where there is nothing to rename`() {
        let before = fold([("milk", "Dairy")])
        #expect(before.drafts(renaming: [AisleRenaming("Bakery", to: "Bread")]).isEmpty)
        #expect(before.drafts(renaming: [AisleRenaming("dairy", to: "Dairy")]).isEmpty)
        #expect(before.drafts(renaming: []).isEmpty)
        #expect(before.drafts(renaming: [], order: ["Dairy"]).count == 1)
        // Another spelling is another name.
        #expect(
            aisles(performing(before.drafts(renaming: [AisleRenaming("dairy", to: "DAIRY")]), on: before)) == ["DAIRY"])
    }

    @Test func `a deleted item comes back in the aisle that its own has become`() {
        var fold = fold([("milk", "Dairy"), ("butter", "Dairy"), ("bread", "Bakery")], then: [.sample(4, .delete, 1)])
        #expect(choice(of: "milk", on: fold)?.aisle == "Dairy")
        fold = performing(fold.drafts(renaming: [AisleRenaming("Dairy", to: "Fridge")]), on: fold)
        #expect(choice(of: "milk", on: fold) == AisleChoice(aisle: "Fridge", reason: .taught))
        fold = performing(fold.drafts(renaming: [AisleRenaming("Fridge", to: "Cellar")]), on: fold)
        #expect(choice(of: "milk", on: fold)?.aisle == "Cellar")
        fold = performing(fold.drafts(renaming: [AisleRenaming("Cellar", to: "Bakery")]), on: fold)
        #expect(choice(of: "milk", on: fold)?.aisle == "Bakery" && fold.state.aisles == ["Bakery"])
        fold = performing(fold.drafts(renaming: [AisleRenaming("Bakery", to: nil)]), on: fold)
        #expect(choice(of: "milk", on: fold) == nil)
    }

    @Test func `the catalogue's names become the household's, until somebody uses them again`() throws {
        let english = try #require(
            Catalogue(Array("language: en\n[dairy] Dairy\nmilk, butter\n[bakery] Bakery\nbread\n".utf8)))
        var fold = fold([("milk", "Dairy")])
        fold = performing(fold.drafts(renaming: [AisleRenaming("Dairy", to: "Fridge")]), on: fold)
        #expect(
            choice(of: "butter", on: fold, [english])
                == AisleChoice(aisle: "Fridge", reason: .catalogue(word: "butter")))
        #expect(choice(of: "bread", on: fold, [english])?.aisle == "Bakery")
        fold = performing([EntryDraft(.edit, item: .sample(1), fields: ["aisle": "Dairy"])], on: fold)
        #expect(choice(of: "butter", on: fold, [english])?.aisle == "Dairy")
    }

    @Test func `compression keeps what the names have become`() {
        let before = fold([("milk", "Dairy"), ("butter", "Dairy")], then: [.sample(3, .delete, 1)])
        var entries: [ConfirmedEntry] = []
        for (index, draft) in before.drafts(renaming: [AisleRenaming("Dairy", to: "Fridge")]).enumerated() {
            var entry = ConfirmedEntry.sample(4 + index, draft.operation, draft.item?.number, draft.fields)
            entry.entry.batch = .sample(1)
            entries.append(entry)
        }
        // Another program orders the aisles, and knows nothing of former names.
        entries.append(.sample(4 + entries.count, .recolourList, nil, ["aisles": "Fridge"]))
        let all =
            [
                ConfirmedEntry.sample(1, .add, 1, ["text": "milk", "aisle": "Dairy"]),
                .sample(2, .add, 2, after: 1, ["text": "butter", "aisle": "Dairy"]), .sample(3, .delete, 1),
            ] + entries
        let compressed = Compression(of: all, olderThan: .seconds(100)).applied(to: all)
        #expect(compressed.count < all.count)
        var archived = PurchaseHistory()
        archived.add(
            Purchase(entry: .sample(77), text: "milk", quantity: nil, aisle: "Dairy", at: .seconds(1)))
        let rule = AisleRule(for: ["milk"], on: ListFold(folding: compressed), archived: archived)
        #expect(rule.choice(of: "milk")?.aisle == "Fridge")
    }

    @Test func `names that fill an entry make room for later ones`() throws {
        var fold = fold([("milk", "A0")])
        for number in 1...60 {
            let name = "A\(number)" + String(repeating: "x", count: 60)
            let drafts = fold.drafts(renaming: [AisleRenaming(try #require(fold.knownAisles.first), to: name)])
            let fields = try #require(drafts.last).fields
            #expect(fields[Fields.renamedAisles]?.string.map { $0.utf8.count <= 1500 } == true)
            fold = performing(drafts, on: fold)
        }
        #expect(fold.knownAisles.first?.hasPrefix("A60") == true)
    }

    @Test func `a damaged list of former names is no harm`() {
        for text in ["", "\n\n", "Dairy", "\t", "Dairy\tDairy", "Dairy\tFridge\tCellar", "A\tB\nB\tA"] {
            let fold = fold(
                [("milk", "Dairy")],
                then: [
                    .sample(2, .delete, 1),
                    .sample(3, .recolourList, nil, ["aisles": "Fridge", "renamedAisles": .string(text)]),
                ])
            _ = choice(of: "milk", on: fold)
            #expect(fold.drafts(renaming: [AisleRenaming("Fridge", to: "Cellar")]).count == 1)
        }
    }
}
