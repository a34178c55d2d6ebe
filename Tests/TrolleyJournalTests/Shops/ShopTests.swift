import Testing
import TrolleyJournal

/// The shops of a list: fields of its own, each a register.
@Suite(.timeLimit(.minutes(20))) struct ShopTests {
    private static let lidl = "aisles:Lidl"

    /// Milk, which is bought anywhere, and nails, for which there is one shop.
    private let entries: [ConfirmedEntry] = [
        .sample(1, .add, 1, ["text": "milk", "aisle": "Dairy"]),
        .sample(2, .add, 2, after: 1, ["text": "nails", "shop": "Hardware"]),
        .sample(3, .recolourList, nil, ["aisles": "Bakery\nDairy"]),
        .sample(4, .recolourList, nil, [lidl: "Dairy\nFish"]),
        .sample(5, .renameList, nil, ["text": "Home", "aisles:Aldi": ""]),
    ]

    private func performing(_ drafts: [EntryDraft], on fold: ListFold) -> ListFold {
        var fold = fold
        for (index, draft) in drafts.enumerated() {
            let number = Int(fold.through.rawValue) + 1
            let entry = draft.entry(id: .sample(1000 + number), batch: .sample(9), deviceSequence: Int64(1000 + index))
            fold.apply(
                ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: Int64(number)), author: .sample(1),
                    device: .sample(1), madeAt: .seconds(1000 + number), receivedAt: .seconds(1000 + number)))
        }
        return fold
    }

    @Test func `two devices that add and order different shops without a network lose nothing`() {
        let state = ListState(folding: entries)
        #expect(state.shops == [Shop(name: "Aldi"), Shop(name: "Lidl", aisles: ["Dairy", "Fish"])])
        #expect(state.name == "Home" && state.aisles == ["Bakery", "Dairy"])
        // The same shop on both: the later one decides, whenever it arrives.
        let later = entries + [.sample(6, .recolourList, nil, [Self.lidl: "Fish"], madeAt: 1)]
        #expect(ListState(folding: later).shops == state.shops)
        #expect(state.namedShops == ["Aldi", "Lidl", "Hardware"])
        // Programs that don't know shops compute the same digest.
        #expect(
            state.digest
                == ListState(folding: [entries[0], entries[1], .sample(5, .renameList, nil, ["text": "Home"])]).digest)
    }

    @Test func `a shop is one, however it is spelled, and its order goes before the list's`() {
        let state = ListState(folding: entries + [.sample(6, .recolourList, nil, ["aisles:LIDL": "Fish"])])
        #expect(state.shops.map(\.name) == ["Aldi", "LIDL", "Lidl"] && state.shops.called("lidl")?.aisles == ["Fish"])
        #expect(state.namedShops == ["Aldi", "LIDL", "Hardware"], "the first in the order of bytes")
        let shops = ListState(folding: entries).shops
        #expect(shops.aisles(at: "lidl ", of: ["Bakery", "dairy"]) == ["Dairy", "Fish", "Bakery"])
        #expect(shops.aisles(at: "Aldi", of: ["Bakery"]) == ["Bakery"])
        #expect(
            shops.aisles(at: "nowhere", of: ["Bakery"]) == ["Bakery"]
                && shops.aisles(at: nil, of: ["Bakery"]) == ["Bakery"])
        #expect(
            ListState(folding: entries).drafts(shop: "LIDL", aisles: ["Fish"]).map(\.fields) == [[Self.lidl: "Fish"]])
        #expect(ListState(folding: entries).drafts(shop: "lidl", aisles: nil).isEmpty)
        #expect(ListState(folding: entries).drafts(shop: "Lidl", aisles: ["Dairy", "Fish"]).isEmpty)
        #expect(
            ListState(folding: entries).drafts(shop: "Market", aisles: nil).map(\.fields) == [["aisles:Market": ""]])
    }

    @Test func `while shopping, what is bought elsewhere comes last`() {
        let rows = ListFold(folding: entries).rows(striking: [])
        let (here, elsewhere) = rows.split(at: "Lidl")
        #expect(here.map(\.item.text) == ["milk"] && elsewhere.map(\.item.text) == ["nails"])
        #expect(elsewhere.allSatisfy(\.isElsewhere) && here.allSatisfy { !$0.isElsewhere })
        #expect(rows.split(at: "HARDWARE").here.count == 2 && rows.split(at: nil).here == rows)
    }

    @Test func `a removed shop leaves its items to all shops, and undo brings all of it back`() {
        let fold = ListFold(folding: entries + [.sample(6, .recolourList, nil, ["aisles:LIDL": "Fish"])])
        let drafts = fold.drafts(removingShop: "lidl")
        #expect(Set(drafts.map(\.fields)) == [[Self.lidl: .null], ["aisles:LIDL": .null]])
        let after = performing(drafts, on: fold)
        #expect(after.shops == [Shop(name: "Aldi")])
        let without = performing(fold.drafts(removingShop: "hardware"), on: fold)
        #expect(without.state.items.allSatisfy { $0.shop == nil } && without.state.items.count == 2)
        #expect(fold.drafts(removingShop: "nowhere").isEmpty)
    }

    @Test func `undo takes a shop's order back, and leaves alone what somebody else has decided since`() {
        let log = UndoLog(of: entries[0].device, replaying: entries.prefix(4))
        let plan = log.planUndo(over: ListFold(folding: entries.prefix(4)))
        #expect(plan.map(\.operation) == [.recolourList] && plan.first?.fields == [Self.lidl: .null])
        let theirs = ConfirmedEntry(
            entry: JournalEntry(
                id: .sample(50), operation: .recolourList, fields: [Self.lidl: "Fish"], deviceSequence: 1),
            sequence: SequenceNumber(rawValue: 5), author: .sample(2), device: .sample(2), madeAt: .seconds(100),
            receivedAt: .seconds(100))
        let step = log.nextUndo(over: ListFold(folding: Array(entries.prefix(4)) + [theirs]))
        #expect(step?.drafts.isEmpty == true && step?.skipped.map(\.subject) == [.aisles])
    }

    @Test func `undo takes back each field of a gesture about the list, and names it as older devices stored it`() {
        let before = Array(entries.prefix(3))
        let log = UndoLog(
            of: entries[0].device,
            replaying: before + [.sample(4, .recolourList, nil, ["text": "green", "aisles": "Fish"])])
        let fold = ListFold(
            folding: before + [.sample(4, .recolourList, nil, ["text": "green", "aisles": "Fish"])])
        let fields = log.planUndo(over: fold).map(\.fields)
        #expect(Set(fields) == [["text": .null], ["aisles": "Bakery\nDairy"]])
        #expect(PriorDecision.Register(code: "aisles", key: nil) == .field("aisles"))
    }

    @Test func `compression keeps the entry that decides a shop`() {
        let all =
            entries + [
                .sample(6, .recolourList, nil, [Self.lidl: "Fish"]), .sample(7, .recolourList, nil, ["later": "a"]),
            ]
        let compression = Compression(of: all, olderThan: .seconds(1_000_000))
        #expect(compression.discarded.map(\.id) == [all[3].entry.id, all[6].entry.id])
        #expect(compression.discarded.map(\.why) == [.overwritten, .noEffect])
        #expect(ListState(folding: compression.applied(to: all)) == ListState(folding: all))
    }

    @Test func `a renamed aisle has its name in the order of each shop`() {
        let fold = ListFold(folding: entries)
        let after = performing(fold.drafts(renaming: [AisleRenaming("dairy", to: "Fridge")]), on: fold)
        #expect(after.shops == [Shop(name: "Aldi"), Shop(name: "Lidl", aisles: ["Fridge", "Fish"])])
        #expect(after.aisles == ["Bakery", "Fridge"])
        let merged = performing(fold.drafts(renaming: [AisleRenaming("Dairy", to: nil)]), on: fold)
        #expect(merged.shops.last?.aisles == ["Fish"])
    }

    @Test func `going back in time brings shops back and takes new ones away`() {
        var timeline = Timeline(entries + [.sample(6, .recolourList, nil, [Self.lidl: .null])])
        let drafts = timeline.restoration(through: SequenceNumber(rawValue: 4)).drafts
        let after = performing(
            drafts, on: ListFold(folding: entries + [.sample(6, .recolourList, nil, [Self.lidl: .null])]))
        #expect(after.shops == [Shop(name: "Lidl", aisles: ["Dairy", "Fish"])])
    }

    @Test func `each spelling of a shop goes back to its own order, and keeps its own when an aisle is renamed`() {
        let spelled = entries + [.sample(6, .recolourList, nil, ["aisles:LIDL": "Fish\nDairy"])]
        let fold = ListFold(folding: spelled)
        let renamed = performing(fold.drafts(renaming: [AisleRenaming("dairy", to: "Fridge")]), on: fold)
        #expect(
            renamed.shops == [
                Shop(name: "Aldi"), Shop(name: "LIDL", aisles: ["Fish", "Fridge"]),
                Shop(name: "Lidl", aisles: ["Fridge", "Fish"]),
            ])
        let back = renamed.restoration(to: fold.state).drafts
        #expect(performing(back, on: renamed).shops == fold.shops)
        #expect(performing(fold.restoration(to: ListState(folding: entries)).drafts, on: fold).shops.count == 2)
    }

    @Test func `a copy and a template have the shops`() {
        let state = ListState(folding: entries)
        let copy = ListCopy(of: state, from: .sample(1), for: .sample(2))
        let confirmed = copy.entries.enumerated().map { index, entry in
            ConfirmedEntry(
                entry: entry, sequence: SequenceNumber(rawValue: Int64(index + 1)), author: .sample(1),
                device: .sample(1), madeAt: .seconds(index), receivedAt: .seconds(index))
        }
        #expect(ListState(folding: confirmed).shops == state.shops)
        #expect(ListTemplate(state).shops == state.shops)
    }

    @Test func `an order of another shop, or an item that changes its shop, waits while somebody shops`() {
        func entry(_ operation: TrolleyJournal.Operation, _ fields: Fields) -> JournalEntry {
            JournalEntry(
                id: .sample(1), operation: operation, item: operation == .edit ? .sample(1) : nil, fields: fields,
                deviceSequence: 1)
        }
        #expect(entry(.recolourList, [Self.lidl: "Fish"]).regroups && entry(.recolourList, ["aisles": .null]).regroups)
        #expect(entry(.edit, ["shop": "Lidl"]).regroups && entry(.edit, ["aisle": "Fish"]).regroups)
        #expect(
            !entry(.recolourList, ["text": "green"]).regroups
                && !entry(.edit, ["text": "milk", "quantity": "2"]).regroups)
        #expect(!entry(.markOff, ["shop": "Lidl"]).regroups)
    }
}
