import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Append", .timeLimit(.minutes(20)))
struct AppendTests {
    @Test("entries get the next sequences, in the order of the upload")
    func sequences() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let entries = [JournalEntry.add("milk"), .add("bread", 2), .add("eggs", 3)]
            let results = try await test.upload(entries, to: list, by: alice)
            #expect(results.statuses == [.applied, .applied, .applied])
            #expect(results.sequences == [1, 2, 3])
            let stored = try await test.entries(list, seenBy: alice)
            #expect(stored.map(\.entry) == entries)
            #expect(stored.allSatisfy { $0.author == alice.account && $0.device == alice.device })
        }
    }

    @Test("an entry comes back exactly as it was sent, fields that nobody knows included")
    func fidelity() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            var entry = JournalEntry.add(
                "e\u{301} é 🥛 \u{1} \" \\ \u{7F}", JournalEntry.maxDeviceSequence,
                fields: [
                    "note": .null, "x": .json(#"{"a":[1.50,-0,1E5,null],"b":"ä"}"#), "": .json("true"), "y": "text",
                ])
            entry.batch = .version7(at: .now, random: RandomBits.random)
            entry.reverts = .version7(at: .now, random: RandomBits.random)
            entry.after = .version7(at: .now, random: RandomBits.random)
            entry.cause = .redo
            try await test.upload([entry], to: list, by: alice)
            #expect(try await test.entries(list, seenBy: alice).map(\.entry) == [entry])
            #expect(try await test.upload([entry], to: list, by: alice).statuses == [.duplicate])
        }
    }

    @Test("the same upload again gets the first answer and adds nothing")
    func again() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let entries = [JournalEntry.add("milk"), .add("bread", 2)]
            let first = try await test.upload(entries, to: list, by: alice, age: 5000)
            let second = try await test.upload(entries + [.add("eggs", 3)], to: list, by: alice, age: 90_000)
            #expect(second.statuses == [.duplicate, .duplicate, .applied])
            #expect(second.sequences == [1, 2, 3])
            #expect(second.prefix(2).map(\.madeAt) == first.map(\.madeAt))
            #expect(second.prefix(2).map(\.receivedAt) == first.map(\.receivedAt))
        }
    }

    @Test("entries that were planned before the device took their numbers are refused, and known ones are not")
    func overtaken() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            func append(_ entry: JournalEntry, plannedAt head: Int64) async throws -> [UploadResult] {
                let request = UploadRequest(entries: [UploadEntry(entry: entry, age: 0)], atomic: true)
                let body = try UploadBody(request, limits: Limits())
                return try await test.store.append(
                    body, to: list, by: alice, ageCap: Limits().ageCap, plannedAt: SequenceNumber(rawValue: head)
                ).results
            }
            let milk = JournalEntry.add("milk", 1)
            let head = try await test.store.lists(of: alice.account)[0].head.rawValue
            #expect(try await append(milk, plannedAt: head).statuses == [.applied])
            // Others' entries don't matter, nor do the device's that the plan knew.
            try await test.upload([.add("tea", 2)], to: list, by: bob)
            #expect(try await append(.add("bread", 2), plannedAt: head + 1).statuses == [.applied])
            let eggs = JournalEntry.add("eggs", 2)
            let error = await #expect(throws: StoreError.self) { try await append(eggs, plannedAt: head + 1) }
            #expect(error?.isOvertaken == true)
            #expect(try await append(milk, plannedAt: head).statuses == [.duplicate])
            #expect(try await test.entries(list, seenBy: alice).count == 3)
        }
    }

    @Test("an entry that comes twice in one upload is there once")
    func twiceInOne() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            var other = milk
            other.fields["text"] = "bread"
            let results = try await test.upload([milk, milk, other], to: list, by: alice)
            #expect(results.statuses == [.applied, .duplicate, .rejected])
            #expect(results.sequences == [1, 1, nil])
            #expect(results.codes == [nil, nil, .serverRecordChanged])
            #expect(try await test.entries(list, seenBy: alice).map(\.entry) == [milk])
        }
    }

    @Test("an id that has other content is refused, whatever differs")
    func otherContent() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            try await test.upload([milk], to: list, by: alice)
            let changes: [(inout JournalEntry) -> Void] = [
                { $0.fields["text"] = "Milk" }, { $0.fields["note"] = .null }, { $0.deviceSequence += 1 },
                { $0.cause = .undo }, { $0.operation = .edit }, { $0.after = $0.item },
                { $0.batch = .version7(at: .now, random: RandomBits.random) }, { $0.reverts = $0.id },
            ]
            for change in changes {
                var other = milk
                change(&other)
                #expect(try await test.upload([other], to: list, by: alice).codes == [.serverRecordChanged])
            }
            #expect(try await test.entries(list, seenBy: alice).count == 1)
        }
    }

    @Test("one id in two lists is two entries, also after one was compressed")
    func otherList() async throws {
        try await TestStore.with { test in
            let (alice, mallory) = (try await test.person("alice"), try await test.person("mallory"))
            let lists = (try await test.list(of: alice), try await test.list(of: mallory))
            let milk = JournalEntry.add("milk")
            var (off, other) = (JournalEntry.add("", 2), milk)
            (off.operation, off.item, off.fields) = (.markOff, milk.item, [:])
            other.fields["text"] = "bread"
            #expect(try await test.upload([milk, off], to: lists.0, by: alice).sequences == [1, 2])
            #expect(try await test.upload([other], to: lists.1, by: mallory).sequences == [1])
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.compress(lists.0, olderThan: cutOff)?.discarded == 2)
            // In its own list the id stays used; in the other list it never was.
            #expect(try await test.upload([milk], to: lists.0, by: alice).statuses == [.duplicate])
            #expect(try await test.upload([other], to: lists.0, by: alice).codes == [.serverRecordChanged])
            #expect(try await test.upload([other], to: lists.1, by: mallory).statuses == [.duplicate])
            #expect(try await test.upload([off], to: lists.1, by: mallory).statuses == [.applied])
            #expect(try await test.entries(lists.1, seenBy: mallory).map(\.entry) == [other, off])
            let page = try await test.store.activity(
                of: lists.0, for: alice.account, before: nil, by: nil, of: nil, limit: 10)
            let activity = page.items.compactMap { item in
                if case .entry(let entry) = item.event { entry.entry } else { nil }
            }
            #expect(activity == [off, milk], "newest first")
        }
    }

    @Test("all or nothing: one rejected entry takes the others back, and they can be sent again")
    func atomic() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            try await test.upload([milk], to: list, by: alice)
            var spoilt = milk
            spoilt.fields["text"] = "spoilt milk"
            let bread = JournalEntry.add("bread", 2)
            let results = try await test.upload([bread, spoilt, milk], to: list, by: alice, atomic: true)
            #expect(results.codes == [.batchRequestFailed, .serverRecordChanged, nil])
            #expect(results.statuses == [.rejected, .rejected, .duplicate])
            #expect(try await test.entries(list, seenBy: alice).count == 1)
            #expect(try await test.upload([bread], to: list, by: alice, atomic: true).sequences == [2])
        }
    }

    @Test("atomic: the second of two equal entries is not a duplicate when neither is stored")
    func atomicTwice() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            try await test.upload([milk], to: list, by: alice)
            var spoilt = milk
            spoilt.fields["text"] = "spoilt milk"
            let bread = JournalEntry.add("bread", 2)
            let results = try await test.upload([bread, bread, spoilt], to: list, by: alice, atomic: true)
            #expect(results.codes == [.batchRequestFailed, .batchRequestFailed, .serverRecordChanged])
            #expect(results.sequences == [nil, nil, nil])
        }
    }

    @Test("validateOnly returns the verdicts and stores nothing")
    func validateOnly() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            #expect(try await test.upload([milk], to: list, by: alice, validateOnly: true).statuses == [.applied])
            #expect(try await test.stream(list, seenBy: alice).isEmpty)
            #expect(try await test.upload([milk], to: list, by: alice).statuses == [.applied])
            #expect(try await test.upload([milk], to: list, by: alice, validateOnly: true).statuses == [.duplicate])
        }
    }

    @Test("madeAt is now less the age, and an age above the cap counts as the cap")
    func age() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            for (age, expected) in [
                (0, 0), (1, 1), (60_000, 60_000), (90_000, 90_000), (90_001, 90_000), (.max, 90_000),
            ]
                as [(Int64, Int64)]
            {
                let result = try await test.upload([.add("milk")], to: list, by: alice, age: age, ageCap: 90_000)[0]
                let (made, received) = (try #require(result.madeAt), try #require(result.receivedAt))
                #expect(received.milliseconds - made.milliseconds == expected)
            }
            for entry in try await test.entries(list, seenBy: alice) { #expect(entry.madeAt <= entry.receivedAt) }
        }
    }

    @Test("a message, and whatever else goes alone, takes two round trips")
    func roundTrips() async throws {
        // An upload may be answered before its connection is free again; the next one would open another, and count that.
        try await TestStore.with(connections: 1) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            // The first upload also asks whether the tables are distributed.
            try await test.upload([.add("milk")], to: list, by: alice)
            for operation in [TrolleyJournal.Operation.message, .renameList] {
                let entry = JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: operation,
                    fields: [Fields.text: "Party"], deviceSequence: 2)
                let before = test.pool.statistics.roundTrips
                #expect(try await test.upload([entry], to: list, by: alice).statuses == [.applied])
                #expect(test.pool.statistics.roundTrips - before == 2, "\(operation)")
            }
        }
    }

    @Test("a reader, a stranger and a former participant can't append")
    func refused() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let (reader, former, stranger) = (
                try await test.person("reader"), try await test.person("former"), try await test.person("stranger")
            )
            let list = try await test.list(of: alice)
            try await test.add(reader, to: list, of: alice, .readOnly)
            try await test.add(former, to: list, of: alice)
            try await test.store.removeParticipant(former.account, from: list, by: alice.account)
            let before = try await test.stream(list, seenBy: alice)
            for (person, expected) in [
                (reader, "readOnly"), (former, "gone(TrolleyWire.ListGoneReason.removed)"), (stranger, "notOnList"),
            ] {
                #expect(await failure { try await test.upload([.add("milk")], to: list, by: person) } == expected)
            }
            let nowhere = ListID.version7(at: .now, random: RandomBits.random)
            #expect(await failure { try await test.upload([.add("milk")], to: nowhere, by: alice) } == "notOnList")
            #expect(try await test.stream(list, seenBy: alice) == before)
        }
    }
}
