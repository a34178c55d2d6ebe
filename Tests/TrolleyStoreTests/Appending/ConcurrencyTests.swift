import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("At the same time", .timeLimit(.minutes(20)))
struct ConcurrencyTests {
    @Test("while sixteen upload to one list, no reader ever sees a gap, and in the end there is none")
    func gapless() async throws {
        try await TestStore.with(connections: 20) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let (uploaders, uploads, batch) = (16, 6, 3)
            let total = uploaders * uploads * batch
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<uploaders {
                    group.addTask {
                        for upload in 0..<uploads {
                            let entries = (0..<batch).map { JournalEntry.add("milk", Int64(upload * batch + $0 + 1)) }
                            // Every other upload is sent twice.
                            try await test.upload(entries, to: list, by: alice)
                            if upload % 2 == 0 { try await test.upload(entries, to: list, by: alice) }
                        }
                    }
                }
                for limit in [1, 5, 1000] {
                    group.addTask {
                        var seen = SequenceNumber.start
                        while seen.rawValue < total {
                            let changeRange = try await test.store.changes(
                                of: list, for: alice.account, after: seen, limit: limit)
                            for change in try changeRange.changes {
                                try #require(change.sequence == seen.advanced(by: 1))
                                seen = change.sequence
                            }
                            // The next page serves the rest: the head is never beyond a gap.
                            #expect(changeRange.stored.count == limit || seen == changeRange.head)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let entries = try await test.entries(list, seenBy: alice)
            #expect(entries.map(\.sequence.rawValue) == Array(1...Int64(total)))
            #expect(Set(entries.map(\.entry.id)).count == total)
            #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.receivedAt <= $1.receivedAt })
        }
    }

    @Test("one of sixteen identical concurrent uploads is applied, and all get the same answer")
    func identical() async throws {
        try await TestStore.with(connections: 16) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let entries = [JournalEntry.add("milk"), .add("bread", 2)]
            let answers = try await withThrowingTaskGroup(of: [UploadResult].self) { group in
                for _ in 0..<16 { group.addTask { try await test.upload(entries, to: list, by: alice) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.statuses == [.applied, .applied] } == 1)
            #expect(answers.count { $0.statuses == [.duplicate, .duplicate] } == 15)
            #expect(Set(answers.map(\.sequences)) == [[1, 2]])
            #expect(Set(answers.map { $0.map(\.madeAt) }).count == 1)
        }
    }

    @Test("a person who is removed while uploading adds nothing afterwards")
    func removal() async throws {
        try await TestStore.with(connections: 8) { test in
            let alice = try await test.person("alice")
            for round in 0..<12 {
                let bob = try await test.person("bob\(round)")
                let list = try await test.list(of: alice)
                try await test.add(bob, to: list, of: alice)
                let refusals = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 1...6 {
                        group.addTask {
                            await failure { try await test.upload([.add("milk", Int64(number))], to: list, by: bob) }
                        }
                    }
                    group.addTask {
                        try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
                        return "nothing"
                    }
                    return try await group.reduce(into: []) { $0.append($1) }.filter { $0 != "nothing" }
                }
                #expect(refusals.allSatisfy { $0 == "gone(TrolleyWire.ListGoneReason.removed)" }, "\(refusals)")
                let stream = try await test.stream(list, seenBy: alice)
                #expect(stream.map(\.sequence.rawValue) == Array(1...Int64(stream.count)))
                guard case .share(let share)? = stream.last?.body else {
                    Issue.record("something follows the removal")
                    continue
                }
                #expect(share.participants.map(\.account) == [alice.account])
                #expect(stream.count { if case .entry = $0.body { true } else { false } } == 6 - refusals.count)
            }
        }
    }

    @Test("one of two people who use a one-time link at once joins")
    func oneTimeLink() async throws {
        try await TestStore.with(connections: 6) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let link = try await test.invite(nil, to: list, of: alice)
            var people: [Session] = []
            for number in 0..<6 { people.append(try await test.person("guest\(number)")) }
            let outcomes = await withTaskGroup(of: String.self) { group in
                for person in people {
                    group.addTask {
                        await failure {
                            try await test.store.acceptInvitation(secretHash: link, by: person.account, limit: 100)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.sorted() == ["nothing"] + Array(repeating: "unknownInvitation", count: 5))
            #expect(try await test.store.share(of: list, for: alice.account).share.participants.count == 2)
        }
    }
}
