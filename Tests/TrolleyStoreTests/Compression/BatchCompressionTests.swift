import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Compressing many lists", .timeLimit(.minutes(20)))
struct BatchCompressionTests {
    /// The results of compressing lists, and the number of failures.
    private func compress(
        _ lists: [ListID], in test: TestStore, dryRun: Bool = false
    ) async throws -> (compressed: [ListID: CompressedList], failures: Int) {
        let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
        var (compressed, failures) = ([ListID: CompressedList](), 0)
        await test.store.compress(lists, olderThan: cutOff, dryRun: dryRun, parallel: 2) { result, _ in
            switch result {
            case .success(let list?): compressed[list.list] = list
            case .success(nil): break
            case .failure: failures += 1
            }
        }
        return (compressed, failures)
    }

    @Test(
        "short lists and long ones, those that need steps and those with nothing to do, all come to what each comes to alone"
    )
    func all() async throws {
        try await TestStore.with(connections: 6) { test in
            var people: [ListID: Session] = [:]
            for items in [1, 3, 20, 60, 300] {
                let (owner, list) = try await test.finishedItems(items, by: "owner\(items)")
                people[list] = owner
                try await test.upload([.add("milk", 10_000), .add("bread", 10_001)], to: list, by: owner)
            }
            let idle = try await test.person("idle")
            let empty = try await test.list(of: idle)
            people[empty] = idle
            let lists = Array(people.keys)
            var before: [ListID: String] = [:]
            for (list, owner) in people {
                before[list] = try await test.store.state(of: list, for: owner.account).digest
            }

            let tried = try await compress(lists, in: test, dryRun: true)
            #expect(tried.compressed.values.map(\.discarded).sorted() == [0, 2, 6, 40, 120, 600])
            let done = try await compress(lists + [ListID.version7(at: .now, random: RandomBits.random)], in: test)
            #expect(done.compressed == tried.compressed && done.failures == 0)
            for (list, owner) in people {
                #expect(try await test.store.state(of: list, for: owner.account).digest == before[list])
                let stream = try await test.stream(list, seenBy: owner)
                let discarded = stream.flatMap { change in
                    if case .discard(let ids, _) = change.body { ids } else { [EntryID]() }
                }
                #expect(discarded.count == done.compressed[list]?.discarded)
                // Their ids stay taken, and the Activity has all entries.
                var (items, place) = (0, SequenceNumber?.none)
                repeat {
                    let page = try await test.store.activity(
                        of: list, for: owner.account, before: place, by: nil, of: nil, limit: 10_000)
                    (items, place) = (items + page.items.count, page.next)
                } while place != nil
                #expect(items == (done.compressed[list]?.examined ?? 0))
            }
            let again = try await compress(lists, in: test)
            #expect(again.compressed.values.allSatisfy { $0.discarded == 0 && $0.anchored == 0 })
        }
    }

    @Test("entries below discarded ones get new anchors, separately on each list")
    func anchors() async throws {
        try await TestStore.with { test in
            var owners: [ListID: Session] = [:]
            for name in ["alice", "bob"] {
                let owner = try await test.person(name)
                let list = try await test.list(of: owner)
                let bread = JournalEntry.add("bread", 1)
                let gone = JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .delete, item: bread.item,
                    deviceSequence: 2)
                var eggs = JournalEntry.add("eggs of \(name)", 3)
                eggs.after = bread.item
                try await test.upload([.add("milk", 4), bread, gone, eggs], to: list, by: owner)
                owners[list] = owner
            }
            let done = try await compress(Array(owners.keys), in: test)
            #expect(done.compressed.values.allSatisfy { $0.discarded == 2 && $0.anchored == 1 })
            for (list, owner) in owners {
                let state = try await test.store.state(of: list, for: owner.account).state
                #expect(state.items.map { $0.text.prefix(4) } == ["eggs", "milk"])
            }
        }
    }

    @Test("an item that came back and is finished again goes again, and the Activity has it once")
    func cameBack() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(2)
            _ = try await compress([list], in: test)
            let first = try await test.store.activity(
                of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 100)
            let item = try #require(first.items.compactMap { $0.item }.last)
            let wanted = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .edit, item: item,
                fields: ["note": "again"], deviceSequence: 5)
            let off = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .markOff, item: item, deviceSequence: 6)
            try await test.upload([wanted, off], to: list, by: alice)
            let done = try await compress([list], in: test)
            #expect(done.failures == 0 && (done.compressed[list]?.discarded ?? 0) > 2)
            let activity = try await test.store.activity(
                of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 100)
            #expect(activity.items.count == 6)
            #expect(try await test.upload([wanted, off], to: list, by: alice).statuses == [.duplicate, .duplicate])
        }
    }

    @Test("an entry that compression gave an anchor stays in the Activity when it goes itself, and its id stays taken")
    func anchoredThenGone() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let bread = JournalEntry.add("bread", 1)
            var eggs = JournalEntry.add("eggs", 3)
            eggs.after = bread.item
            let gone = [(bread.item, Int64(2)), (eggs.item, 4)].map { item, number in
                JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .delete, item: item,
                    deviceSequence: number)
            }
            try await test.upload([bread, gone[0], eggs], to: list, by: alice)
            #expect(try await compress([list], in: test).compressed[list]?.anchored == 1)
            try await test.upload([gone[1]], to: list, by: alice)
            #expect(try await compress([list], in: test).compressed[list]?.discarded == 2)
            let activity = try await test.store.activity(
                of: list, for: alice.account, before: nil, by: nil, of: nil, limit: 100)
            #expect(activity.items.count == 4)
            #expect(try await test.upload([eggs], to: list, by: alice).statuses == [.duplicate])
        }
    }

    @Test("a bundle's writes are bounded, however many lists there are")
    func bounded() async throws {
        try await TestStore.with(connections: 8) { test in
            let alice = try await test.person("alice")
            var made: [ListID] = []
            for _ in 0..<150 { made.append(try await test.list(of: alice)) }
            let lists = made
            // On every third list, 20 items were added and marked off long ago; on each other list, one.
            try await test.pool.withConnection { connection in
                try await connection.execute(
                    """
                    INSERT INTO entry (
                        list_id, sequence, entry_id, operation, item_id, fields, cause, device_sequence, author_id,
                        device_id, made_at, received_at)
                    SELECT
                        list_id, 2 * n - isAdd, gen_random_uuid(), (ARRAY['markOff', 'add'])[isAdd + 1],
                        md5(list_id::text || n)::uuid, CASE isAdd WHEN 1 THEN '{"text":"milk"}'::json END, 'edit',
                        2 * n - isAdd, \(alice.account), \(alice.device), now() - interval '30 days',
                        now() - interval '30 days'
                    FROM unnest(\(lists)::uuid[]) WITH ORDINALITY AS made (list_id, number)
                    CROSS JOIN LATERAL generate_series(1, CASE WHEN number % 3 = 0 THEN 20 ELSE 1 END) AS n
                    CROSS JOIN generate_series(0, 1) AS isAdd
                    """)
                try await connection.execute(
                    """
                    UPDATE list
                    SET head = 40, uncompressed_since = now() - interval '30 days',
                        live_entries = (SELECT count(*) FROM entry WHERE entry.list_id = list.id)
                    WHERE id = ANY (\(lists))
                    """)
            }
            let compression = Task { try await compress(lists, in: test) }
            let isDone = Finished()
            let watch = Task {
                _ = try? await compression.value
                await isDone.set()
            }
            // A change that isn't about a discarded item delays nothing.
            var waits: [Duration] = []
            while await !isDone.value {
                let entry = JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .recolourList,
                    fields: ["text": "green"], deviceSequence: Int64(waits.count + 100))
                let start = ContinuousClock.now
                try await test.upload([entry], to: lists[waits.count * 7 % lists.count], by: alice)
                waits.append(.now - start)
            }
            await watch.value
            let done = try await compression.value
            #expect(done.failures == 0 && done.compressed.values.reduce(0) { $0 + $1.discarded } == 2200)
            let together = try await test.pool.withConnection { connection in
                try await connection.execute(
                    "SELECT count(*), count(DISTINCT list_id) FROM archived_id GROUP BY xmin::text")
            }
            for row in together {
                let (discards, lists) = try row.decode((Int64, Int64).self)
                #expect(discards < 500 && lists <= 100)
            }
            let sorted = waits.sorted()
            print(
                "compressing 150 lists together: \(waits.count) uploads meanwhile, each took "
                    + "\(sorted.isEmpty ? .zero : sorted[sorted.count / 2]) (median), \(sorted.last ?? .zero) at the most; "
                    + "\(together.count) transactions")
        }
    }

    @Test("a list that somebody holds keeps no other waiting")
    func held() async throws {
        try await TestStore.with(connections: 6) { test in
            let (_, free) = try await test.finishedItems(3, by: "free")
            let (_, held) = try await test.finishedItems(3, by: "held")
            let task = try await test.pool.withTransaction { connection in
                try await connection.execute(ListSQL.lockAlways, [held])
                let task = Task { try await compress([held, free], in: test) }
                // The free list is compressed while the other is locked. Otherwise this never ends.
                while try await !test.store.listsToCompress(olderThan: test.store.now()).lists.elementsEqual([held]) {}
                return task
            }
            let done = try await task.value
            #expect(done.compressed[held]?.discarded == 6 && done.compressed[free]?.discarded == 6)
        }
    }

    @Test("a list that the database refuses harms no other list of its bundle")
    func poisoned() async throws {
        try await TestStore.with { test in
            let (_, good) = try await test.finishedItems(3, by: "good")
            let (_, bad) = try await test.finishedItems(3, by: "bad")
            try await test.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF OLD.list_id = '\(bad)' THEN RAISE EXCEPTION 'no'; END IF;
                    RETURN OLD;
                END $$;
                CREATE TRIGGER refuse BEFORE DELETE ON entry FOR EACH ROW EXECUTE FUNCTION refuse();
                """)
            let done = try await compress([good, bad], in: test)
            #expect(done.failures == 1 && done.compressed[good]?.discarded == 6)
        }
    }
}

extension ActivityItem {
    fileprivate var item: ItemID? {
        if case .entry(let entry) = event { entry.entry.item } else { nil }
    }
}
