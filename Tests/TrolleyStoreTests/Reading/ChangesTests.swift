import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Changes", .timeLimit(.minutes(20)))
struct ChangesTests {
    @Test("pages of any size add up to one big page")
    func paging() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk"), .add("bread", 2)], to: list, by: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.upload([.add("eggs"), .add("tea", 2), .add("salt", 3)], to: list, by: bob)
            let whole = try await test.stream(list, seenBy: alice)
            #expect(whole.map(\.sequence.rawValue) == Array(1...7))
            for limit in 1...whole.count + 1 {
                var (paged, after, isOver): ([Change], SequenceNumber, Bool) = ([], .start, false)
                while !isOver {
                    let changeRange = try await test.store.changes(
                        of: list, for: alice.account, after: after, limit: limit)
                    #expect(changeRange.stored.count <= limit && changeRange.head == whole.last?.sequence)
                    paged += try changeRange.changes
                    after = paged.last?.sequence ?? .start
                    isOver = after == changeRange.head
                }
                #expect(paged == whole, "limit \(limit)")
            }
        }
    }

    @Test("a list without changes, or with none that are newer, answers its head")
    func nothingNew() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let empty = try await test.store.changes(of: list, for: alice.account, after: .start, limit: 10)
            #expect(empty.stored.isEmpty && empty.head == .start)
            try await test.upload([.add("milk")], to: list, by: alice)
            for after in [1, 2, .max] as [Int64] {
                let changeRange = try await test.store.changes(
                    of: list, for: alice.account, after: SequenceNumber(rawValue: after), limit: 10)
                #expect(changeRange.stored.isEmpty && changeRange.head.rawValue == 1)
            }
        }
    }

    @Test("one request returns the new changes of all of the account's lists, and of no others")
    func allLists() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let mallory = try await test.person("mallory")
            let (old, new, quiet) = (
                try await test.list(of: alice), try await test.list(of: alice), try await test.list(of: alice)
            )
            let foreign = try await test.list(of: mallory)
            try await test.upload([.add("milk"), .add("bread", 2)], to: old, by: alice)
            try await test.upload([.add("eggs")], to: new, by: alice)
            try await test.upload([.add("secret")], to: foreign, by: mallory)
            let all = try await test.store.changes(
                for: alice.account, after: [old: SequenceNumber(rawValue: 1), foreign: .start], limit: 10)
            #expect(all.changeRanges.map(\.list) == [old, new, quiet])
            #expect(try all.changeRanges.map { try $0.changes.map(\.sequence.rawValue) } == [[2], [1], []])
            #expect(all.gone == [foreign: .removed])
        }
    }

    @Test("lists are read until the limit is used up; the others return only their heads")
    func limitOverAllLists() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            var lists: [ListID] = []
            for _ in 0..<3 {
                let list = try await test.list(of: alice)
                try await test.upload([.add("milk", 1), .add("bread", 2)], to: list, by: alice)
                lists.append(list)
            }
            let all = try await test.store.changes(for: alice.account, after: [:], limit: 3)
            #expect(all.changeRanges.map(\.list) == lists)
            #expect(all.changeRanges.map(\.stored.count) == [2, 2, 0])
            #expect(all.changeRanges.map(\.isReached) == [true, true, false])
            #expect(all.changeRanges.map(\.head.rawValue) == [2, 2, 2])
        }
    }

    @Test("a list that is gone says why")
    func gone() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            var lists: [ListID] = []
            for _ in 0..<3 {
                let list = try await test.list(of: alice)
                try await test.add(bob, to: list, of: alice)
                lists.append(list)
            }
            try await test.store.deleteList(lists[0], by: alice.account)
            try await test.store.removeParticipant(bob.account, from: lists[1], by: alice.account)
            try await test.store.deleteList(lists[2], by: bob.account)
            let all = try await test.store.changes(
                for: bob.account, after: Dictionary(uniqueKeysWithValues: lists.map { ($0, .start) }), limit: 10)
            #expect(all.changeRanges.isEmpty)
            #expect(all.gone == [lists[0]: .deleted, lists[1]: .removed, lists[2]: .removed])
            let reasons = await lists.asyncMap { list in
                await failure { try await test.store.changes(of: list, for: bob.account, after: .start, limit: 1) }
            }
            #expect(
                reasons == [
                    "gone(TrolleyWire.ListGoneReason.deleted)", "gone(TrolleyWire.ListGoneReason.removed)",
                    "gone(TrolleyWire.ListGoneReason.removed)",
                ])
        }
    }

    @Test("the folded list is the fold of the stream")
    func state() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            let off = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .markOff, item: milk.item,
                deviceSequence: 3)
            try await test.upload([milk, .add("bread", 2), off], to: list, by: alice)
            let answer = try await test.store.state(of: list, for: alice.account)
            #expect(answer.sequence.rawValue == 3)
            #expect(answer.state.items.map(\.text) == ["bread", "milk"])
            #expect(answer.state.items.map(\.markedOff) == [false, true])
            #expect(answer.digest == answer.state.digest.description)
        }
    }
}

extension [ListID] {
    fileprivate func asyncMap(_ transform: (ListID) async -> String) async -> [String] {
        var mapped: [String] = []
        for element in self { mapped.append(await transform(element)) }
        return mapped
    }
}
