import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Grouped reads", .timeLimit(.minutes(20)))
struct BatchedReadsTests {
    @Test("each of many concurrent requests gets its own answer")
    func together() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let mallory = try await test.person("mallory")
            let list = try await test.list(of: alice)
            let other = try await test.list(of: mallory)
            try await test.add(bob, to: list, of: alice)
            try await test.upload((1...5).map { .add("milk", $0) }, to: list, by: alice)
            try await test.upload([.add("secret"), .add("more", 2)], to: other, by: mallory)
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            let head = try await test.stream(list, seenBy: alice).count

            @Sendable func ask(_ person: Session, _ list: ListID, _ after: Int) async -> String {
                do {
                    let changeRange = try await test.store.changes(
                        of: list, for: person.account, after: SequenceNumber(rawValue: Int64(after)), limit: 1_000)
                    return "\(try changeRange.changes.map(\.sequence.rawValue))"
                } catch { return "\(error)" }
            }
            let questions: [(Session, ListID, Int)] = (0..<20).flatMap { turn in
                [
                    (alice, list, 1 + turn % (head + 1)), (bob, list, 1), (mallory, list, 2), (mallory, other, 1),
                    (alice, other, 1),
                ]
            }
            let answers = await withTaskGroup(of: (Int, String).self) { group in
                for (index, question) in questions.enumerated() {
                    group.addTask { (index, await ask(question.0, question.1, question.2)) }
                }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            for (index, (person, asked, after)) in questions.enumerated() {
                let expected =
                    switch (person, asked) {
                    case (alice, list): after < head ? "\(Array(after + 1...head))" : "[]"
                    case (bob, list): "gone(TrolleyWire.ListGoneReason.removed)"
                    case (mallory, other): "[2]"
                    default: "notOnList"
                    }
                #expect(answers[index] == expected)
            }
        }
    }

    @Test("grouped, single and all-list answers contain the same changes")
    func same() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let total = BatchedReads.maxInlineChanges + 3
            try await test.upload((1...total).map { .add("milk", Int64($0)) }, to: list, by: alice)
            for after in [1, 2, 3, total - 1, total] {
                let place = SequenceNumber(rawValue: Int64(after))
                for limit in [1, 5, 1_000] {
                    let changeRange = try await test.store.changes(
                        of: list, for: alice.account, after: place, limit: limit)
                    let alone = try #require(
                        try await test.pool.changeRange(of: list, for: alice.account, after: place, limit: limit))
                    let all = try await test.store.changes(
                        for: alice.account, device: alice.device, after: [list: place], limit: limit)
                    let changes = try changeRange.changes
                    #expect(changes.map(\.sequence.rawValue).first == (after < total ? Int64(after) + 1 : nil))
                    #expect(changes.count == min(limit, total - after))
                    for each in [alone] + all.changeRanges {
                        #expect(try each.changes == changes)
                        #expect(
                            each.head == changeRange.head && each.epoch == changeRange.epoch
                                && each.mark == changeRange.mark)
                        #expect(try each.last?.sequence == changeRange.last?.sequence)
                    }
                    #expect(all.changeRanges.count == 1 && changeRange.mark != nil)
                }
            }
        }
    }

    @Test("a fetch after an upload contains it, however many requests are concurrent")
    func fresh() async throws {
        try await TestStore.with(connections: 6) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("bread", 1)], to: list, by: alice)
            let asking = Task {
                while !Task.isCancelled {
                    _ = try await test.store.changes(
                        for: alice.account, device: alice.device, after: [list: SequenceNumber(rawValue: 1)], limit: 10)
                    _ = try await test.store.changes(
                        of: list, for: alice.account, after: SequenceNumber(rawValue: 1), limit: 10)
                }
            }
            for number in 2...40 as ClosedRange<Int64> {
                try await test.upload([.add("milk", number)], to: list, by: alice)
                let known = SequenceNumber(rawValue: number - 1)
                let one = try await test.store.changes(of: list, for: alice.account, after: known, limit: 10)
                #expect(one.head.rawValue == number && one.stored.count == 1)
                let all = try await test.store.changes(
                    for: alice.account, device: alice.device, after: [list: known], limit: 10)
                #expect(all.changeRanges.map(\.head.rawValue) == [number])
            }
            asking.cancel()
            _ = try? await asking.value
        }
    }

    @Test("stored changes are passed on as the JSON that they are read from, entries and states of the share")
    func passedOn() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("mil\"k\n", 1, fields: ["note": "ü", "x-later": .json(#"{"a":[1,2.50]}"#)])
            let bare = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .markOff, item: milk.item, cause: .redo,
                reverts: milk.id, deviceSequence: 2)
            try await test.upload([milk, bare], to: list, by: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.upload([.add("bread", 3)], to: list, by: alice)
            let changeRange = try await test.store.changes(of: list, for: bob.account, after: .start, limit: .max)
            var (passed, read) = (JSONWriter(), JSONWriter())
            try changeRange.stored.write(0..<2, to: &passed)
            try changeRange.stored.write(2..<changeRange.stored.count, to: &passed)
            for change in try changeRange.changes {
                read.raw(String(decoding: change.json, as: UTF8.self))
            }
            #expect(String(decoding: passed.bytes, as: UTF8.self) == String(decoding: read.bytes, as: UTF8.self))
            #expect(changeRange.stored.count == 5)
        }
    }
}

extension Change {
    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
