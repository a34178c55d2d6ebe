import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Group commit", .timeLimit(.minutes(20)))
struct GroupCommitTests {
    @Test("uploads that wait at the same time share a transaction")
    func together() async throws {
        try await withOneWriter { test in
            let alice = try await test.person("alice")
            var lists: [ListID] = []
            for _ in 0..<20 { lists.append(try await test.listInOneShard(of: alice)) }
            try await withThrowingTaskGroup(of: [UploadResult].self) { group in
                try await test.together(lists.count) {
                    for list in lists { group.addTask { try await test.upload([.add("milk")], to: list, by: alice) } }
                }
                for try await results in group {
                    #expect(results.statuses == [.applied])
                    #expect(results.sequences == [1])
                }
            }
            #expect(test.store.appender.statistics == .init(waiting: 0, transactions: 2, batched: 21, single: 0))
        }
    }

    @Test("a locked list delays no other list")
    func held() async throws {
        try await withOneWriter { test in
            let alice = try await test.person("alice")
            let (held, free) = (try await test.listInOneShard(of: alice), try await test.listInOneShard(of: alice))
            try await withThrowingTaskGroup(of: [UploadResult].self) { group in
                try await test.pool.withTransaction { connection in
                    try await connection.execute("SELECT FROM list WHERE id = \(held) FOR UPDATE")
                    group.addTask { try await test.upload([.add("milk")], to: held, by: alice) }
                    try await eventually {
                        test.store.appender.statistics.single
                    } until: {
                        $0 == 1
                    }
                    #expect(try await test.upload([.add("bread")], to: free, by: alice).statuses == [.applied])
                    #expect(try await test.entries(held, seenBy: alice).isEmpty)
                }
                #expect(try await group.next()?.statuses == [.applied])
            }
        }
    }

    @Test("each of a batch gets its own verdict")
    func verdicts() async throws {
        try await withOneWriter { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (mine, theirs) = (try await test.listInOneShard(of: alice), try await test.listInOneShard(of: alice))
            let (readOnly, written) = (
                try await test.listInOneShard(of: alice), try await test.listInOneShard(of: alice)
            )
            try await test.add(bob, to: readOnly, of: alice, .readOnly)
            let (atomic, tried) = (try await test.listInOneShard(of: bob), try await test.listInOneShard(of: bob))
            let milk = JournalEntry.add("milk")
            try await test.upload([milk], to: written, by: alice)
            var other = milk
            other.fields["text"] = .string("beer")
            let changed = other

            try await withThrowingTaskGroup(of: (String, String).self) { group in
                try await test.together(6) {
                    group.addTask {
                        ("stranger", await failure { try await test.upload([.add("x")], to: theirs, by: bob) })
                    }
                    group.addTask {
                        ("reader", await failure { try await test.upload([.add("x")], to: readOnly, by: bob) })
                    }
                    group.addTask {
                        let results = try await test.upload([milk, .add("tea", 2)], to: written, by: alice)
                        return ("again", "\(results.statuses) \(results.sequences.compactMap(\.self))")
                    }
                    group.addTask {
                        let results = try await test.upload(
                            [.add("jam"), milk, changed], to: atomic, by: bob, atomic: true)
                        return ("atomic", "\(results.codes.compactMap(\.self))")
                    }
                    group.addTask {
                        let results = try await test.upload([.add("oil")], to: tried, by: bob, validateOnly: true)
                        return ("tried", "\(results.statuses)")
                    }
                    group.addTask {
                        let results = try await test.upload([.add("rice"), .add("oil", 2)], to: mine, by: alice)
                        return ("fine", "\(results.statuses) \(results.sequences.compactMap(\.self))")
                    }
                }
                let answers = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                #expect(
                    answers == [
                        "stranger": "notOnList", "reader": "readOnly",
                        "again": "\([UploadResult.Status.duplicate, .applied]) [1, 2]",
                        "atomic": "\([ProblemCode.batchRequestFailed, .batchRequestFailed, .serverRecordChanged])",
                        "tried": "\([UploadResult.Status.applied])",
                        "fine": "\([UploadResult.Status.applied, .applied]) [1, 2]",
                    ])
            }
            #expect(try await test.entries(tried, seenBy: bob).isEmpty)
            #expect(try await test.entries(atomic, seenBy: bob).isEmpty)
        }
    }

    @Test("an upload that the database refuses harms no other upload of its batch")
    func poisoned() async throws {
        try await withOneWriter { test in
            let alice = try await test.person("alice")
            var lists: [ListID] = []
            for _ in 0..<4 { lists.append(try await test.listInOneShard(of: alice)) }
            try await test.pool.withConnection { connection in
                try await connection.run(
                    script: "ALTER TABLE entry ADD CHECK (fields IS NULL OR fields ->> 'text' <> 'poison')")
            }
            try await withThrowingTaskGroup(of: String.self) { group in
                try await test.together(lists.count) {
                    for (list, text) in zip(lists, ["milk", "poison", "bread", "tea"]) {
                        group.addTask {
                            await failure { try await test.upload([.add(text)], to: list, by: alice) }
                        }
                    }
                }
                let failures = try await group.reduce(into: []) { $0.append($1) }.filter { $0 != "nothing" }
                #expect(failures.count == 1)
                #expect(failures.allSatisfy { $0.contains("database") })
            }
            let alone = test.store.appender.statistics.single
            #expect(alone == 4)
            var counts: [Int] = []
            for list in lists { counts.append(try await test.entries(list, seenBy: alice).count) }
            #expect(counts == [1, 0, 1, 1])
        }
    }

    @Test("an id that two lists' uploads bring at once is accepted in both, in one transaction")
    func sameID() async throws {
        try await withOneWriter { test in
            let alice = try await test.person("alice")
            let lists = [try await test.listInOneShard(of: alice), try await test.listInOneShard(of: alice)]
            let milk = JournalEntry.add("milk")
            try await withThrowingTaskGroup(of: [UploadResult].self) { group in
                try await test.together(2) {
                    for list in lists { group.addTask { try await test.upload([milk], to: list, by: alice) } }
                }
                let results = try await group.reduce(into: []) { $0 += $1 }
                #expect(results.statuses == [.applied, .applied])
                #expect(results.sequences == [1, 1])
            }
            #expect(test.store.appender.statistics.single == 0)
        }
    }

    @Test("an upload beyond the queue's limit for a list is refused as busy")
    func busy() async throws {
        var options = Appender.Options()
        options.waitingPerList = 3
        try await withOneWriter(options) { test in
            let alice = try await test.person("alice")
            let list = try await test.listInOneShard(of: alice)
            try await withThrowingTaskGroup(of: String.self) { group in
                try await test.together(3) {
                    for number in 1...3 {
                        group.addTask {
                            await failure { try await test.upload([.add("milk", Int64(number))], to: list, by: alice) }
                        }
                    }
                } then: {
                    #expect(await failure { try await test.upload([.add("tea", 4)], to: list, by: alice) } == "busy")
                }
                for try await failure in group { #expect(failure == "nothing") }
            }
            #expect(try await test.entries(list, seenBy: alice).count == 3)
        }
    }

    @Test("a queued upload is appended even when its caller has gone")
    func cancelled() async throws {
        try await withOneWriter { test in
            let alice = try await test.person("alice")
            let list = try await test.listInOneShard(of: alice)
            let uploading = Mutex<Task<[UploadResult], any Error>?>(nil)
            try await test.together(1) {
                uploading.withLock {
                    $0 = Task { try await test.upload([.add("milk")], to: list, by: alice) }
                }
            } then: {
                uploading.withLock { $0?.cancel() }
            }
            #expect(try await uploading.withLock(\.self)?.value.statuses == [.applied])
            #expect(try await test.entries(list, seenBy: alice).count == 1)
        }
    }
}

// MARK: - Making uploads wait for each other

private func withOneWriter(
    _ options: Appender.Options = .init(), _ body: (TestStore) async throws -> Void
) async throws {
    var options = options
    options.writers = 1
    try await TestStore.with(connections: 6, appending: options, body)
}

extension TestStore {
    /// A list. On a cluster, all lists of a test are in one shard, so they share its only writer.
    func listInOneShard(of owner: Session) async throws -> ListID {
        guard try await store.topology.isDistributed() else { return try await list(of: owner) }
        while true {
            let ids = Set((0..<200).map { _ in ListID.version7(at: .now, random: RandomBits.random) })
            let shards = try await store.topology.shards(of: ids)
            guard let id = shards.first(where: { $0.value == shards.values.min() })?.key else { continue }
            return try await store.createList(id, owner: owner.account).list.id
        }
    }

    /// Makes the uploads of `start` wait together: another upload blocks the only writer until that many wait. Then
    /// `then` runs, and afterwards the uploads continue.
    func together(
        _ count: Int, _ start: () -> Void, then: () async throws -> Void = {}
    ) async throws {
        let somebody = try await person("somebody-\(Int.random(in: 0 ... .max))")
        let list = try await listInOneShard(of: somebody)
        let blocked = Mutex<Task<[UploadResult], any Error>?>(nil)
        try await pool.withTransaction { connection in
            try await connection.execute("LOCK TABLE entry IN SHARE MODE")
            blocked.withLock { $0 = Task { try await upload([.add("water")], to: list, by: somebody) } }
            try await connection.untilSomebodyWaits()
            start()
            try await eventually {
                store.appender.statistics.waiting
            } until: {
                $0 == count
            }
            try await then()
        }
        #expect(try await blocked.withLock(\.self)?.value.statuses == [.applied])
    }
}
