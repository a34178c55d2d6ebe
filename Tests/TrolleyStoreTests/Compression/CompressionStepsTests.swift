import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Appending between the steps of a compression", .timeLimit(.minutes(20)))
struct CompressionStepsTests {
    /// After a few list names: finished items X0, X1, …, each followed by a wanted item, Z0, Z1, ….
    fileprivate struct Pairs {
        let alice: Session
        let list: ListID
        private(set) var finished: [ItemID] = []
        private(set) var wanted: [ItemID] = []

        init(_ count: Int, in test: TestStore) async throws {
            alice = try await test.person("alice")
            list = try await test.list(of: alice)
            var entries: [JournalEntry] = []
            for number in 0..<count {
                var x = JournalEntry.add("X\(number)", Int64(3 * number + 1))
                x.after = wanted.last
                var z = JournalEntry.add("Z\(number)", Int64(3 * number + 2))
                z.after = x.item
                entries += [x, z, .change(.markOff, x.item, Int64(3 * number + 3))]
                finished += [x.item].compactMap(\.self)
                wanted += [z.item].compactMap(\.self)
            }
            for start in stride(from: 0, to: entries.count, by: 400) {
                try await test.upload(
                    Array(entries[start..<min(start + 400, entries.count)]), to: list, by: alice)
            }
        }
    }

    @Test(
        "one of 300 finished items that is wanted again during their compression returns to its place", arguments: 1...3
    )
    func threeHundred(step: Int) async throws {
        try await TestStore.with { test in
            let pairs = try await Pairs(300, in: test)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            let plan = try #require(
                try await test.store.planCompressions(of: [pairs.list], olderThan: cutOff).first)
            #expect(plan.steps.count > 4)
            // One discarded item, and two that will be discarded.
            let again = [0, 150, 295]
            let (done, isComplete) = try await test.store.apply(plan) { count in
                guard count == step else { return }
                for (number, item) in again.enumerated() {
                    await #expect(throws: Never.self) {
                        try await test.upload(
                            [.change(.unmark, pairs.finished[item], Int64(1000 + number))], to: pairs.list,
                            by: pairs.alice)
                    }
                }
            }
            #expect(done.count == step && !isComplete)
            let texts = (0..<300).flatMap { again.contains($0) ? ["X\($0)", "Z\($0)"] : ["Z\($0)"] }
            let state = try await test.store.state(of: pairs.list, for: pairs.alice.account).state
            #expect(Array(state.wanted).map(\.text) == texts)
            #expect(try await test.replayed(pairs.list).digest == state.digest)
            // The next run discards the rest.
            #expect(try await test.store.compress(pairs.list, olderThan: cutOff)?.isPostponed == false)
            let after = try await test.store.state(of: pairs.list, for: pairs.alice.account).state
            #expect(after.items.map(\.text) == texts)
        }
    }

    /// `TROLLEY_SEED` repeats the writers' changes, but not their timing. In a bundle a list has at most 500 entries,
    /// so fewer are appended.
    @Test(
        "with six writers beside a compression, in many steps or in a bundle, the list is what the replay shows",
        arguments: [(200, 12), (20, 1)])
    func sixWriters(count: Int, entriesPerUpload: Int) async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["TROLLEY_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
        print("six writers: TROLLEY_SEED=\(seed)")
        // All of them want one list's lock, for which a busy machine lets the last wait longer than a service would.
        try await TestStore.with(connections: 9, settings: ["lock_timeout": "0"]) { test in
            let pairs = try await Pairs(count, in: test)
            let hasBegun = Finished()
            let isWritten = Finished()
            async let compressions = test.compress(
                pairs.list, inSteps: count == 200, begun: hasBegun, until: isWritten)
            let appended = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<6 as Range<Int64> {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &+ UInt64(writer))
                        var number = 10_000 + 1000 * writer
                        try await eventually("compression has begun", every: .milliseconds(1)) { await hasBegun.value }
                        for _ in 0..<60 {
                            // Sleeps: writers without pauses would change what each plan was computed from before its first
                            // step, on a fast machine, and no step would be applied beside them.
                            try await Task.sleep(for: .milliseconds(random.below(40)))
                            let entries = (0...random.below(entriesPerUpload)).map { _ in
                                number += 1
                                return pairs.randomChange(number, &random)
                            }
                            // Some were made a while ago, on an offline device.
                            let age = random.chance(50) ? 0 : Int64(random.below(200))
                            try await test.upload(entries, to: pairs.list, by: pairs.alice, age: age)
                        }
                        return Int(number - 10_000 - 1000 * writer)
                    }
                }
                return try await group.reduce(0, +)
            }
            await isWritten.set()
            let discarded = try await compressions
            #expect(appended > (entriesPerUpload > 1 ? 2000 : 300))
            print("six writers: \(discarded) entries discarded beside \(appended)")
            #expect(discarded > 0)
            let state = try await test.store.state(of: pairs.list, for: pairs.alice.account).state
            let replayed = try await test.replayed(pairs.list)
            #expect(Array(state.wanted).map(\.text) == Array(replayed.wanted).map(\.text))
            #expect(state.digest == replayed.digest, "TROLLEY_SEED=\(seed)")
            var device = ListFold()
            for change in try await test.stream(pairs.list, seenBy: pairs.alice) {
                switch change.body {
                case .entry(let entry): device.apply(entry)
                case .discard(let ids, _): device.discard(ids)
                case .share: break
                }
            }
            #expect(device.state.digest == state.digest, "TROLLEY_SEED=\(seed)")
        }
    }
}

extension CompressionStepsTests.Pairs {
    /// A change that names an item about to be discarded, or its neighbour.
    fileprivate func randomChange(_ number: Int64, _ random: inout SeededGenerator) -> JournalEntry {
        let item = random.pick(random.chance(50) ? finished : wanted)
        let other = random.pick(random.chance(50) ? finished : wanted)
        switch random.below(6) {
        case 0: return .change(.unmark, item, number)
        case 1: return .change(.edit, item, number, ["note": "wanted"])
        case 2: return .change(.markOff, item, number)
        case 3:
            var entry = JournalEntry.add("new \(number)", number)
            entry.after = other
            return entry
        default:
            var entry = JournalEntry.change(.move, item, number)
            entry.after = other
            return entry
        }
    }
}

extension TestStore {
    /// Compresses a list again and again, a few entries at a time or as short lists are compressed, and once more when
    /// the writers have ended.
    /// - Parameter begun: set after the first step, or before the first of the compressions that have only one.
    /// - Returns: entries discarded.
    fileprivate func compress(
        _ list: ListID, inSteps: Bool, begun: Finished, until isDone: Finished
    ) async throws -> Int {
        var discarded = 0
        var isLast = false
        repeat {
            isLast = await isDone.value
            let cutOff = try await store.now().advanced(byMilliseconds: 1)
            if !inSteps {
                await begun.set()
                await store.compress([list], olderThan: cutOff) { result, _ in
                    discarded += (try? result.get())?.discarded ?? 0
                }
            } else if let plan = try await store.planCompressions(of: [list], olderThan: cutOff, step: 7).first {
                let (done, _) = try await store.apply(plan) { _ in await begun.set() }
                discarded += done.discarded
            }
        } while !isLast
        return discarded
    }

    /// The fold of everything that the list ever had.
    fileprivate func replayed(_ list: ListID) async throws -> ListState {
        let rows = try await pool.withConnection { try await $0.execute(EntrySQL.activityOfList, [list, false]) }
        return ListState(folding: try rows.map { try ConfirmedEntry(row: $0) })
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
}
