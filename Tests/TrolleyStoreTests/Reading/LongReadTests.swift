import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Long reads", .timeLimit(.minutes(20)))
struct LongReadTests {
    /// An `add` of the maximum size of an entry.
    private static func large(_ number: Int64) -> JournalEntry { .add(String(repeating: "x", count: 4000), number) }

    @Test("a page of a list with large entries is shorter, and the pages together have everything")
    func pages() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            for start in stride(from: 1, to: 1000, by: 200) {
                try await test.upload((start..<start + 200).map { Self.large(Int64($0)) }, to: list, by: anna)
            }
            var (after, sizes) = (SequenceNumber.start, [Int]())
            while true {
                let changeRange = try await test.store.changes(of: list, for: anna.account, after: after, limit: 5000)
                sizes.append(changeRange.stored.count)
                #expect(changeRange.stored.memory < 4 << 20)
                #expect(
                    try changeRange.changes.map(\.sequence.rawValue) == Array(after.rawValue + 1...after.rawValue + 500)
                )
                after = try #require(try changeRange.last).sequence
                if after == changeRange.head { break }
            }
            #expect(sizes == [500, 500])
            let all = try await test.store.changes(for: anna.account, after: [:], limit: 5000)
            #expect(all.changeRanges.map(\.stored.count) == [500] && !all.changeRanges[0].isComplete)
        }
    }

    @Test("lists with large changes use up the limit, and none is left out for good")
    func manyLists() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            var known: [ListID: SequenceNumber] = [:]
            for _ in 0..<4 {
                let list = try await test.list(of: anna)
                try await test.upload((1...300).map { Self.large($0) }, to: list, by: anna)
                known[list] = .start
            }
            var rounds: [Int] = []
            while known.contains(where: { $0.value.rawValue < 300 }) {
                let all = try await test.store.changes(for: anna.account, after: known, limit: 1000)
                rounds.append(all.changeRanges.reduce(0) { $0 + $1.stored.count })
                for changeRange in all.changeRanges {
                    if let last = try changeRange.last { known[changeRange.list] = last.sequence }
                }
            }
            // One list counts as 1,500 changes.
            #expect(rounds == [300, 300, 300, 300])
        }
    }

    @Test("a read that takes more memory than one account may use is refused, and its memory is released")
    func tooLong() async throws {
        var reading = ReadingLimits()
        (reading.bytes, reading.bytesPerAccount) = (1 << 20, 256 << 10)
        try await TestStore.with(reading: reading) { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let (long, short) = (try await test.list(of: anna), try await test.list(of: anna))
            try await test.upload((1...100).map { Self.large($0) }, to: long, by: anna)
            try await test.upload([.add("milk")], to: short, by: anna)
            #expect(await failure { try await test.store.fold(long, for: anna.account) } == "tooLong")
            #expect(
                await failure { try await test.store.replay(of: long, for: anna.account, through: nil) } == "tooLong")
            #expect(await failure { try await export(test, anna, [short, long]) } == "tooLong")
            #expect(test.store.memory.used == 0)
            #expect(try await test.store.state(of: short, for: anna.account).state.items.map(\.text) == ["milk"])
            // An account that uses up its share waits only for its own answers.
            let held = try test.store.reserve(250 << 10, for: anna.account)
            try await test.upload((2...60).map { .add("bread", $0) }, to: short, by: anna)
            #expect(await failure { try await test.store.fold(short, for: anna.account) } == "overloaded")
            let bens = try await test.list(of: ben)
            try await test.upload((1...60).map { .add("bread", $0) }, to: bens, by: ben)
            #expect(try await test.store.state(of: bens, for: ben.account).state.items.count == 60)
            withExtendedLifetime(held) {}
        }
    }

    @Test("a page's memory is held before the database is asked for it, and afterwards as much as it has")
    func heldBefore() async throws {
        try await TestStore.with(connections: 4) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.upload((1...100).map { Self.large($0) }, to: list, by: anna)
            try await test.pool.withTransaction { connection in
                try await connection.execute("LOCK TABLE entry IN ACCESS EXCLUSIVE MODE")
                let page = Task {
                    try await test.store.changes(of: list, for: anna.account, after: .start, limit: 5000)
                }
                let all = Task { try await test.store.changes(for: anna.account, after: [:], limit: 5000) }
                try await connection.untilSomebodyWaits()
                #expect(test.store.memory.used == ChangeSQL.memoryOfPage, "one account, one turn")
                page.cancel()
                all.cancel()
                _ = await (page.result, all.result)
            }
            #expect(test.store.memory.used == 0)
            let page = try await test.store.changes(of: list, for: anna.account, after: .start, limit: 5000)
            #expect(test.store.memory.used == page.stored.memory && page.stored.memory > 100 * 4000)
            // Nothing is asked of the database when there is no room.
            let held = try test.store.reserve(test.store.memory.share - page.stored.memory, for: anna.account)
            #expect(
                await failure {
                    _ = try await test.store.changes(of: list, for: anna.account, after: .start, limit: 5000)
                } == "overloaded")
            withExtendedLifetime((held, page)) {}
        }
    }

    @Test("messages and a few new changes don't wait for exports, and a journal does")
    func shortReads() async throws {
        var limits = ReadingLimits()
        limits.parallel = 1
        try await TestStore.with(connections: 4, reading: limits) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.upload((1...60).map { .add("milk", $0) }, to: list, by: anna)
            let hold = Promise<Void>()
            let entered = Promise<Void>()
            let export = Task {
                try await test.store.withReadTurn(for: anna.account) {
                    entered.fulfill(())
                    await hold.value
                }
            }
            await entered.value
            let quick = Task {
                let messages = try await test.store.messages(of: list, for: anna.account, at: .before(nil), limit: 50)
                let changes = try await test.store.changes(
                    of: list, for: anna.account, after: SequenceNumber(rawValue: 2), limit: 1000)
                return (messages.messages.count, try changes.changes.count)
            }
            let isDone = Shared(false)
            let watch = Task {
                _ = await quick.result
                isDone.withLock { $0 = true }
            }
            while !isDone.withLock(\.self), test.store.gate.waiting == 0 { await Task.yield() }
            #expect(test.store.gate.waiting == 0)
            let fold = Task { try await test.store.state(of: list, for: anna.account) }
            while test.store.gate.waiting == 0 { await Task.yield() }
            hold.fulfill(())
            try await export.value
            await watch.value
            #expect(try await quick.value == (0, 58))
            #expect(try await fold.value.state.items.count == 60)
        }
    }

    @Test("between two pieces an export has no connection, and keeps no more than a piece")
    func export() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            for start in stride(from: 1, to: 1200, by: 300) {
                try await test.upload((start..<start + 300).map { Self.large(Int64($0)) }, to: list, by: anna)
            }
            var export = AccountExport(
                of: try await test.store.account(anna.account), [list], at: .now, from: test.store)
            var (size, most) = (0, 0)
            while let piece = try await export.next() {
                #expect(test.pool.statistics.busy == 0)
                size += piece.count
                most = max(most, piece.count)
            }
            #expect(size > 2 * 1200 * 4000 && most < 3 << 20)
            #expect(test.store.memory.used == 0)
        }
    }

    @Test("a list says the same however it is folded: whole, in pieces, as it was, and in the digest")
    func same() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            let rename = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .renameList,
                fields: ["text": "Weekly"], deviceSequence: 1)
            let adds = (2...1300).map { JournalEntry.add("item \($0)", $0, fields: ["note": .string("n\($0)")]) }
            for batch in [
                [rename], Array(adds[..<400]), Array(adds[400..<800]), Array(adds[800...].prefix(400)),
                Array(adds[1200...]),
            ] {
                try await test.upload(batch, to: list, by: anna)
            }
            let whole = ListState(folding: try await test.entries(list, seenBy: anna))
            let state = try await test.store.state(of: list, for: anna.account)
            #expect(state.state == whole && state.digest == whole.digest.description && whole.items.count == 1299)
            let folded = try #require(try await test.store.foldIfIdle(list, for: anna.account))
            #expect(folded.fold.digest == whole.digest && folded.sequence == state.sequence && folded.entries == 1300)
            #expect(joined(try await test.store.fold(list, for: anna.account).pieces) == state.json)
            let replay = try await test.store.replay(of: list, for: anna.account, through: nil)
            #expect(
                joined(replay.pieces)
                    == ReplayResponse(
                        state: state, head: state.sequence, completeness: replay.completeness,
                        devices: replay.replayContext.devices
                    ).json)
            let earlier = try await test.store.replay(
                of: list, for: anna.account, through: SequenceNumber(rawValue: 700))
            #expect(
                earlier.folded.fold.state == ListState(folding: try await test.entries(list, seenBy: anna).prefix(700)))
        }
    }

    private func joined(_ pieces: StatePieces) -> [UInt8] {
        var (pieces, bytes) = (pieces, [UInt8]())
        while let piece = pieces.next() { bytes += piece }
        return bytes
    }

    private func export(_ test: TestStore, _ person: Session, _ lists: [ListID]) async throws {
        try await test.store.export(try await test.store.account(person.account), lists, at: .now) { _ in }
    }

    @Test("who isn't on a list waits in no line of its readers, and keeps none of them waiting")
    func strangers() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            // All places of the list's readers are taken, and their line is full.
            let (taken, free) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await test.store.withReadTurn(for: anna.account, on: list) {
                        taken.continuation.finish()
                        for await _ in free.stream {}
                    }
                }
                for await _ in taken.stream {}
                for _ in 0..<80 {
                    #expect(await failure { try await test.store.fold(list, for: ben.account) } == "notOnList")
                    let level = await failure {
                        try await test.store.setNotificationLevel(.all, of: list, for: ben.account)
                    }
                    #expect(level == "notOnList")
                }
                free.continuation.finish()
                try await group.waitForAll()
            }
        }
    }
}
