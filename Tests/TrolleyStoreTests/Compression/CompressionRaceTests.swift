import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// Changes during a compression, after it was computed and before it is applied. Each is tried with a list that is
/// compressed alone and with a list in a bundle.
@Suite("Compression while others append", .timeLimit(.minutes(20)))
struct CompressionRaceTests {
    /// Compresses a list, and calls `meanwhile` after the compression was computed. Storing it needs a month's table,
    /// and creating that table needs a lock, which this function holds.
    private func compress(
        _ list: ListID, in test: TestStore, isAlone: Bool, meanwhile: () async throws -> Void
    ) async throws {
        try await test.age(list, by: "40 days")
        let cutOff = try await test.store.now().advanced(byMilliseconds: -14 * 86_400_000)
        let compression = try await test.pool.withTransaction { connection in
            try await connection.execute(PartitionSQL.lock)
            let compression = Task<Void, any Error> {
                if isAlone {
                    _ = try await test.store.compress(list, olderThan: cutOff)
                } else {
                    await test.store.compress([list], olderThan: cutOff) { _, _ in }
                }
            }
            try await connection.untilSomebodyWaits()
            try await meanwhile()
            return compression
        }
        try await compression.value
    }

    @Test("an item that somebody wants again at that moment stays", arguments: [true, false])
    func wantedAgain(isAlone: Bool) async throws {
        try await TestStore.with(connections: 6) { test in
            let (alice, list) = try await test.finishedItems(3)
            let item = try await test.entries(list, seenBy: alice)[0].entry.item
            try await compress(list, in: test, isAlone: isAlone) {
                let wanted = JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .edit, item: item,
                    fields: ["note": "still wanted"], deviceSequence: 7)
                let unmarked = JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .unmark, item: item,
                    deviceSequence: 8)
                try await test.upload([wanted, unmarked], to: list, by: alice)
            }
            let state = try await test.store.state(of: list, for: alice.account).state
            #expect(state.items.map { $0.fields["note"] } == ["still wanted"])
            #expect(state.items.allSatisfy { !$0.markedOff && !$0.text.isEmpty })
        }
    }

    @Test("a list that got something just then is looked at again when that is old", arguments: [true, false])
    func cameMeanwhile(isAlone: Bool) async throws {
        try await TestStore.with(connections: 6) { test in
            let (alice, list) = try await test.finishedItems(3)
            try await compress(list, in: test, isAlone: isAlone) {
                try await test.upload([.add("bread", 7)], to: list, by: alice)
            }
            #expect(try await test.entries(list, seenBy: alice).count == 1)
            let later = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.listsToCompress(olderThan: later).lists == [list])
        }
    }

    @Test(
        "a list with something younger than the cut-off is looked at again when that is old", arguments: [true, false])
    func youngerStays(isAlone: Bool) async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(3)
            try await test.age(list, by: "40 days")
            try await test.upload([.add("bread", 7)], to: list, by: alice)
            // The millisecond after that of the upload, which a fast machine may still be in.
            let now = try await test.store.now().advanced(byMilliseconds: 1)
            try await test.compress(list, olderThan: now.advanced(byMilliseconds: -14 * 86_400_000), isAlone: isAlone)
            #expect(try await test.entries(list, seenBy: alice).count == 1)
            #expect(try await test.store.listsToCompress(olderThan: now).lists == [list])
            let early = now.advanced(byMilliseconds: -86_400_000)
            #expect(try await test.store.listsToCompress(olderThan: early).lists.isEmpty)
        }
    }

    @Test(
        "the cut-off counts from when the service received an entry, not from when it was made",
        arguments: [true, false])
    func receivedToday(isAlone: Bool) async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk", 1)
            let off = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .markOff, item: milk.item,
                deviceSequence: 2)
            try await test.upload([milk, off], to: list, by: alice, age: 30 * 86_400_000)
            let cutOff = try await test.store.now().advanced(byMilliseconds: -14 * 86_400_000)
            let entries = try await test.entries(list, seenBy: alice)
            #expect(entries.allSatisfy { $0.madeAt < cutOff && $0.receivedAt > cutOff })
            #expect(try await test.store.listsToCompress(olderThan: cutOff).lists.isEmpty)
            try await test.compress(list, olderThan: cutOff, isAlone: isAlone)
            #expect(try await test.entries(list, seenBy: alice) == entries)
        }
    }

    @Test("an entry that was made a month ago and received today stays for fourteen days", arguments: [true, false])
    func madeLongAgo(isAlone: Bool) async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let jam = JournalEntry.add("jam", 1)
            let off = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (2, 2)), operation: .markOff, item: jam.item,
                deviceSequence: 2)
            let entries = [jam, off, .add("milk", 3)]
            try await test.upload(entries, to: list, by: alice, age: 30 * 86_400_000)
            let before = try await test.entries(list, seenBy: alice)
            let cutOff = try await test.store.now().advanced(byMilliseconds: -14 * 86_400_000)
            // The list has an entry to discard, so that it is examined.
            try await test.pool.withConnection { connection in
                _ = try await connection.execute("UPDATE list SET uncompressed_since = now() - interval '20 days'")
            }
            try await test.compress(list, olderThan: cutOff, isAlone: isAlone)
            #expect(try await test.entries(list, seenBy: alice) == before)
            try await test.compress(
                list, olderThan: test.store.now().advanced(byMilliseconds: 1), isAlone: isAlone)
            #expect(try await test.entries(list, seenBy: alice).count == 1)
        }
    }
}

extension TestStore {
    fileprivate func compress(_ list: ListID, olderThan cutOff: Timestamp, isAlone: Bool) async throws {
        if isAlone {
            _ = try await store.compress(list, olderThan: cutOff)
        } else {
            await store.compress([list], olderThan: cutOff) { _, _ in }
        }
    }
}
