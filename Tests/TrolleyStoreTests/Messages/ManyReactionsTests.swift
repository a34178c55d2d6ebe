import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Many reactions to one message", .timeLimit(.minutes(20)))
struct ManyReactionsTests {
    private func entry(_ operation: TrolleyJournal.Operation, _ fields: Fields, _ number: Int) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: operation, fields: fields,
            deviceSequence: Int64(number))
    }

    private func reactions(
        _ operation: TrolleyJournal.Operation = .react, to message: EntryID, _ numbers: ClosedRange<Int>
    ) -> [JournalEntry] {
        numbers.map { number in
            entry(
                operation, [Fields.message: .string(message.description), Fields.text: .string("\(number)")], number)
        }
    }

    @Test(
        "one person's are limited, each person's by themselves, also across uploads; taking back may use twice as many")
    func limited() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let messages = [entry(.message, [Fields.text: "hello"], 1), entry(.message, [Fields.text: "tea?"], 2)]
            try await test.upload(messages, to: list, by: alice)
            let limit = KnownMessages.maxReactionsOfOnePerson
            let first = try await test.upload(reactions(to: messages[0].id, 1...limit - 1), to: list, by: bob)
            #expect(first.statuses.allSatisfy { $0 == .applied })
            let second = try await test.upload(reactions(to: messages[0].id, limit...limit + 1), to: list, by: bob)
            #expect(second.codes == [nil, .quotaExceeded])
            for (message, person) in [(messages[0].id, alice), (messages[1].id, bob)] {
                let others = try await test.upload(reactions(to: message, 1...1), to: list, by: person)
                #expect(others.statuses == [.applied])
            }
            let back = try await test.upload(reactions(.unreact, to: messages[0].id, 1...limit), to: list, by: bob)
            #expect(back.statuses.allSatisfy { $0 == .applied })
            let beyond = try await test.upload(reactions(.unreact, to: messages[0].id, 1...1), to: list, by: bob)
            #expect(beyond.codes == [.quotaExceeded])
        }
    }

    @Test("they are counted as memory before they are read")
    func reserved() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 100 << 10
        try await TestStore.with(reading: reading) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let messages = [entry(.message, [Fields.text: "hello"], 1), entry(.message, [Fields.text: "tea?"], 2)]
            try await test.upload(messages, to: list, by: alice)
            try await test.upload(
                reactions(to: messages[0].id, 1...KnownMessages.maxReactionsOfOnePerson), to: list, by: alice)
            func read(_ limit: Int) async throws -> [Int] {
                try await test.store.messages(of: list, for: alice.account, at: .before(nil), limit: limit)
                    .messages.map(\.reactions.count)
            }
            #expect(try await read(1) == [0])
            #expect(await failure { try await read(2) } == "tooLong")
            #expect(test.store.memory.used == 0, "all of it is given back")
        }
    }
}
