import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Compression at scale", .timeLimit(.minutes(20)))
struct CompressionAtScaleTests {
    @Test("a compression is computed without the list's lock")
    func planNeedsNoLock() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(10)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            try await test.pool.withTransaction { connection in
                try await connection.execute(ListSQL.lockAlways, [list])
                let plan = try #require(
                    try await test.store.planCompressions(of: [list], olderThan: cutOff, step: 5).first)
                #expect(plan.examined == 20 && plan.steps.count == 5)
            }
            let compressed = try await test.store.compress(list, olderThan: cutOff, step: 5)
            #expect(compressed?.discarded == 20)
            #expect(try await test.stream(list, seenBy: alice).map(\.sequence.rawValue) == [21, 22, 23, 24, 25])
        }
    }

    @Test("other people append between two steps, and after each step the list shows the same")
    func steps() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(6)
            let milk = JournalEntry.add("milk", 13)
            try await test.upload([milk], to: list, by: alice)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let plan = try #require(try await test.store.planCompressions(of: [list], olderThan: cutOff, step: 4).first)
            // After the snapshot, before the compression is applied.
            try await test.upload([.add("bread", 14)], to: list, by: alice)
            let before = try await test.store.state(of: list, for: alice.account)
            let (done, isComplete) = try await test.store.apply(plan)
            #expect(isComplete && done.count == plan.steps.count && plan.steps.count == 3)
            let after = try await test.store.state(of: list, for: alice.account)
            #expect(after.digest == before.digest && after.state.items.map(\.text) == ["bread", "milk"])
            // Entries after the snapshot were not examined, so the list is eligible again when they are old.
            let later = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.listsToCompress(olderThan: later).lists == [list])
        }
    }

    @Test("an item that is wanted again before it is removed stays: the older plan is not applied")
    func overtaken() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(3)
            let entries = try await test.entries(list, seenBy: alice)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let plan = try #require(
                try await test.store.planCompressions(of: [list], olderThan: cutOff, step: 500).first)
            let wanted = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .edit, item: entries[0].entry.item,
                fields: ["note": "still wanted"], deviceSequence: 7)
            try await test.upload([wanted], to: list, by: alice)
            let (done, isComplete) = try await test.store.apply(plan)
            #expect(done.isEmpty && !isComplete)
            // The other two items, and the deletion that the edit has overruled.
            #expect(try await test.store.compress(list, olderThan: cutOff)?.discarded == 5)
            let state = try await test.store.state(of: list, for: alice.account).state
            #expect(state.items.map { $0.fields["note"] } == ["still wanted"])
        }
    }

    @Test("two concurrent compressions of a list make each change once")
    func twiceAtOnce() async throws {
        try await TestStore.with(connections: 8) { test in
            let (alice, list) = try await test.finishedItems(60)
            let before = try await test.store.state(of: list, for: alice.account).digest
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let discarded = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await test.store.compress(list, olderThan: cutOff, step: 10)?.discarded ?? 0
                    }
                }
                return try await group.reduce(0, +)
            }
            // A run that was overtaken three times leaves the rest to other runs.
            let rest = try await test.store.compress(list, olderThan: cutOff)?.discarded ?? 0
            #expect(discarded + rest == 120)
            let ids = try await test.stream(list, seenBy: alice).flatMap { change in
                if case .discard(let ids, _) = change.body { ids } else { [EntryID]() }
            }
            #expect(ids.count == 120 && Set(ids).count == 120)
            #expect(try await test.store.state(of: list, for: alice.account).digest == before)
        }
    }

    @Test("a compression whose connection is killed between steps leaves a whole list, and the next one goes on")
    func killed() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(40)
            let before = try await test.store.state(of: list, for: alice.account).digest
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            // The server ends the connection in the third step's transaction.
            try await test.run(
                """
                CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.sequence = 83 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER die BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION die();
                """)
            await #expect(throws: StoreError.self) {
                try await test.store.compress(list, olderThan: cutOff, step: 10)
            }
            #expect(try await test.store.state(of: list, for: alice.account).digest == before)
            #expect(try await test.store.listsToCompress(olderThan: cutOff).lists == [list])
            let sequences = try await test.stream(list, seenBy: alice).map(\.sequence.rawValue)
            // Two steps of five items each, from the top down: the ten newest items.
            #expect(sequences == Array(1...60) + [81, 82])
            try await test.run("DROP TRIGGER die ON event")
            #expect(try await test.store.compress(list, olderThan: cutOff, step: 10)?.discarded == 60)
            #expect(try await test.store.state(of: list, for: alice.account).digest == before)
        }
    }

    @Test("eligible lists come page by page, each once, and one that was compressed just now not at all")
    func eligible() async throws {
        try await TestStore.with { test in
            var expected: Set<ListID> = []
            let alice = try await test.person("alice")
            for _ in 0..<7 {
                let list = try await test.list(of: alice)
                try await test.upload([.add("milk")], to: list, by: alice)
                expected.insert(list)
            }
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            for limit in [1, 3, 7, 8] {
                var (found, place): ([ListID], ListsToCompress.Place?) = ([], nil)
                repeat {
                    let page = try await test.store.listsToCompress(olderThan: cutOff, after: place, limit: limit)
                    found += page.lists
                    place = page.next
                } while place != nil
                #expect(found.count == 7 && Set(found) == expected, "pages of \(limit)")
            }
            let first = try #require(expected.first)
            _ = try await test.store.compress(first, olderThan: cutOff)
            try await test.upload([.add("eggs", 2)], to: first, by: alice)
            let later = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.listsToCompress(olderThan: later).lists.count == 7)
            #expect(
                try await test.store.listsToCompress(olderThan: later, pause: 1_800_000).lists.contains(first) == false)
        }
    }

    @Test("while a list of 100,000 entries is compressed, uploads wait for one step at the most")
    func longList() async throws {
        try await TestStore.with(connections: 6) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            // 50,000 items, each added and marked off long ago; every hundredth is still wanted.
            try await test.pool.withConnection { connection in
                try await connection.execute(
                    """
                    INSERT INTO entry (
                        list_id, sequence, entry_id, operation, item_id, fields, cause, device_sequence, author_id,
                        device_id, made_at, received_at)
                    SELECT
                        \(list), n, gen_random_uuid(), CASE WHEN n % 2 = 1 THEN 'add' ELSE 'markOff' END,
                        md5((CASE WHEN n % 200 = 0 THEN n ELSE (n + 1) / 2 END)::text)::uuid,
                        CASE WHEN n % 2 = 1 THEN '{"text":"milk"}'::json END,
                        'edit', n, \(alice.account), \(alice.device),
                        now() - interval '30 days', now() - interval '30 days'
                    FROM generate_series(1, 100000) AS n
                    """, timeout: .seconds(300))
                try await connection.execute(
                    """
                    UPDATE list
                    SET head = 100000, uncompressed_since = now() - interval '30 days', live_entries = 100000
                    WHERE id = \(list)
                    """)
                try await connection.run(script: "ANALYZE entry", timeout: .seconds(300))
            }
            let cutOff = try await test.store.now().advanced(byMilliseconds: -14 * 86_400_000)
            let before = try await test.store.state(of: list, for: alice.account).digest
            let compression = Task { try await test.store.compress(list, olderThan: cutOff) }
            var waits: [Duration] = []
            let isDone = Finished()
            let watch = Task {
                _ = try? await compression.value
                await isDone.set()
            }
            // The shown list doesn't change. On a machine that compresses slowly, more would be more than a fold may hold.
            while await !isDone.value, waits.count < 10_000 {
                let entry = JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .recolourList,
                    fields: ["text": "green"], deviceSequence: Int64(waits.count + 1))
                let start = ContinuousClock.now
                try await test.upload([entry], to: list, by: alice)
                waits.append(.now - start)
            }
            await watch.value
            let compressed = try #require(try await compression.value)
            #expect(compressed.discarded == 99_500 && !compressed.isPostponed)
            let discards = try await test.stream(list, seenBy: alice).compactMap { change in
                if case .discard(let ids, _) = change.body { ids.count } else { nil }
            }
            // This is the maximum number of rows that change under one lock.
            #expect(discards.allSatisfy { $0 <= 100 } && discards.count >= 995)
            var state = try await test.store.state(of: list, for: alice.account).state
            #expect(state.items.count == 500)
            if !waits.isEmpty { state.colour = nil }
            #expect(state.digest.description == before)
            let sorted = waits.sorted()
            print(
                "compressing 100,000 entries: \(waits.count) uploads meanwhile, each took \(sorted[sorted.count / 2]) "
                    + "(median), \(sorted.last ?? .zero) at the most")
        }
    }
}

/// Whether an operation has ended.
actor Finished {
    private(set) var value = false
    func set() { value = true }
}

extension TestStore {
    /// A list with this number of items, all deleted.
    func finishedItems(_ count: Int, by name: String = "alice") async throws -> (owner: Session, list: ListID) {
        let alice = try await person(name)
        let list = try await list(of: alice)
        var entries: [JournalEntry] = []
        for number in 0..<count {
            let add = JournalEntry.add("item \(number)", Int64(2 * number + 1))
            entries.append(add)
            entries.append(
                JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .delete, item: add.item,
                    deviceSequence: Int64(2 * number + 2)))
        }
        for start in stride(from: 0, to: entries.count, by: 400) {
            try await upload(Array(entries[start..<min(start + 400, entries.count)]), to: list, by: alice)
        }
        return (alice, list)
    }
}
