import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Compression in the store", .timeLimit(.minutes(20)))
struct CompressionTests {
    /// A list in which bread is finished and milk was edited. All entries are old enough.
    private struct Household {
        let alice: Session
        let list: ListID
        let milk = JournalEntry.add("milk", 1)
        var bread = JournalEntry.add("bread", 2)
        var entries: [JournalEntry] { [milk, bread, edited, finished] }
        let edited: JournalEntry
        let finished: JournalEntry

        init(in test: TestStore) async throws {
            alice = try await test.person("alice")
            list = try await test.list(of: alice)
            bread.after = milk.item
            edited = .change(.edit, milk.item, 3, ["text": "oat milk"])
            finished = .change(.delete, bread.item, 4)
            try await test.upload(entries, to: list, by: alice)
        }
    }

    @Test("entries without effect are discarded, the list shows the same, and the stream tells devices")
    func discards() async throws {
        try await TestStore.with { test in
            let house = try await Household(in: test)
            let before = try await test.store.state(of: house.list, for: house.alice.account)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let compressed = try await test.store.compress(house.list, olderThan: cutOff)
            #expect(compressed == CompressedList(list: house.list, examined: 4, discarded: 2, anchored: 0))
            let after = try await test.store.state(of: house.list, for: house.alice.account)
            #expect(after.digest == before.digest)
            #expect(after.state == before.state)

            let news = try await test.store.changes(
                of: house.list, for: house.alice.account, after: before.sequence, limit: 10)
            #expect(
                try news.changes == [
                    Change(
                        sequence: SequenceNumber(rawValue: 5),
                        body: .discard(ids: [house.bread.id, house.finished.id], anchors: [:]))
                ])
            #expect(
                try await test.entries(house.list, seenBy: house.alice).map(\.entry.id) == [
                    house.milk.id, house.edited.id,
                ])
        }
    }

    @Test("compressing twice changes nothing, and a list without anything old is not looked at")
    func twice() async throws {
        try await TestStore.with { test in
            let house = try await Household(in: test)
            let early = try await test.store.now().advanced(byMilliseconds: -60_000)
            #expect(try await test.store.listsToCompress(olderThan: early).lists == [])
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.listsToCompress(olderThan: cutOff).lists == [house.list])
            _ = try await test.store.compress(house.list, olderThan: cutOff)
            #expect(try await test.store.listsToCompress(olderThan: cutOff).lists == [])
            let again = try await test.store.compress(house.list, olderThan: cutOff)
            #expect(again == CompressedList(list: house.list, examined: 2, discarded: 0, anchored: 0))
            #expect(try await test.store.state(of: house.list, for: house.alice.account).sequence.rawValue == 5)
        }
    }

    @Test("a dry run reports the discards and changes nothing")
    func dryRun() async throws {
        try await TestStore.with { test in
            let house = try await Household(in: test)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let compressed = try await test.store.compress(house.list, olderThan: cutOff, dryRun: true)
            #expect(compressed?.discarded == 2)
            #expect(try await test.entries(house.list, seenBy: house.alice).count == 4)
            #expect(try await test.store.listsToCompress(olderThan: cutOff).lists == [house.list])
        }
    }

    @Test("a late retry of a compressed entry is a duplicate, and gets the first answer")
    func idsStayTaken() async throws {
        try await TestStore.with { test in
            let house = try await Household(in: test)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            _ = try await test.store.compress(house.list, olderThan: cutOff)
            let again = try await test.upload(house.entries, to: house.list, by: house.alice)
            #expect(again.statuses == [.duplicate, .duplicate, .duplicate, .duplicate])
            #expect(again.sequences == [1, 2, 3, 4])
            var other = house.bread
            other.fields["text"] = "rye"
            #expect(
                try await test.upload([other], to: house.list, by: house.alice).codes == [.serverRecordChanged])
        }
    }

    @Test("an edit of a compressed item brings it back to its place, and the Activity has it once")
    func bringsBack() async throws {
        try await TestStore.with { test in
            let house = try await Household(in: test)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            _ = try await test.store.compress(house.list, olderThan: cutOff)
            let butter = JournalEntry.add("butter", 5, after: house.milk.item)
            let wanted = JournalEntry.change(.edit, house.bread.item, 6, ["note": "rye"])
            let results = try await test.upload([butter, wanted], to: house.list, by: house.alice)
            #expect(results.statuses == [.applied, .applied])
            let state = try await test.store.state(of: house.list, for: house.alice.account).state
            // Butter was put directly after milk, so bread follows butter.
            #expect(state.items.map(\.text) == ["oat milk", "butter", "bread"])
            #expect(state.items.last?.fields["note"] == "rye")

            let sequences = try await test.stream(house.list, seenBy: house.alice).map(\.sequence.rawValue)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
            let activity = try await test.store.activity(
                of: house.list, for: house.alice.account, before: nil, by: nil, of: nil, limit: 100)
            let ids = activity.items.compactMap { item in
                if case .entry(let entry) = item.event { entry.entry.id } else { nil }
            }
            #expect(ids == (house.entries + [butter, wanted]).map(\.id).reversed())
        }
    }

    @Test("items below a compressed item stay in their place, also later ones")
    func anchors() async throws {
        try await TestStore.with { test in
            let house = try await Household(in: test)
            let eggs = JournalEntry.add("eggs", 5, after: house.bread.item)
            try await test.upload([eggs], to: house.list, by: house.alice)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let compressed = try await test.store.compress(house.list, olderThan: cutOff)
            #expect(compressed?.anchored == 1)
            try await test.upload(
                [.add("salt", 6, after: house.bread.item)], to: house.list, by: house.alice)
            let state = try await test.store.state(of: house.list, for: house.alice.account).state
            #expect(state.items.map(\.text) == ["oat milk", "salt", "eggs"])
            // A retry is still the same entry, although devices receive it with another anchor.
            #expect(try await test.upload([eggs], to: house.list, by: house.alice).statuses == [.duplicate])
        }
    }
}

extension JournalEntry {
    fileprivate static func change(
        _ operation: Operation, _ item: ItemID?, _ deviceSequence: Int64, _ fields: Fields = [:]
    ) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: operation, item: item, fields: fields,
            deviceSequence: deviceSequence)
    }

    fileprivate static func add(_ text: String, _ deviceSequence: Int64, after: ItemID?) -> JournalEntry {
        var entry = JournalEntry.add(text, deviceSequence)
        entry.after = after
        return entry
    }
}
