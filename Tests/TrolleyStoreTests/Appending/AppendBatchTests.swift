import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Uploads appended at once", .timeLimit(.minutes(20)))
struct AppendBatchTests {
    @Test("the answer equals the stored entries")
    func stored() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            var edit = JournalEntry.add("bread", 3, fields: ["colour": .string("red"), "later": .string("1.50")])
            edit.batch = .version7(at: .now, random: RandomBits.random)
            edit.cause = .redo
            edit.reverts = .version7(at: .now, random: RandomBits.random)
            for age: Int64 in [0, 1, 86_400_000, 1 << 50] {
                let sent = [JournalEntry.add("tea", 2), edit]
                let results = try await test.upload(sent, to: list, by: alice, age: age, ageCap: 90 * 86_400_000)
                let entries = try await test.entries(list, seenBy: alice).suffix(2)
                #expect(results == entries.map { .accepted($0, .applied) })
                #expect(entries.map(\.entry) == sent)
                #expect(entries.allSatisfy { $0.author == alice.account && $0.device == alice.device })
                edit.id = .version7(at: .now, random: RandomBits.random)
            }
            #expect(test.store.appender.statistics.single == 0)
        }
    }

    @Test("an upload that needs a separate check goes alone, and gets the same answer")
    func alone() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            let first = try await test.upload([milk], to: list, by: alice)
            let again = try await test.upload([milk, .add("tea", 2)], to: list, by: alice)
            #expect(again.statuses == [.duplicate, .applied])
            #expect(again[0].sequence == first[0].sequence && again[0].madeAt == first[0].madeAt)
            let twice = JournalEntry.add("jam", 3)
            #expect(try await test.upload([twice, twice], to: list, by: alice).statuses == [.applied, .duplicate])
            #expect(test.store.appender.statistics.single == 2)
        }
    }

    @Test("a list with a long history may grow on as long as its journal is short, and nothing is counted")
    func quota() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            var quotas = Quotas.none
            quotas.entriesPerList = 3
            func upload(_ number: Int64) async throws -> UploadResult {
                let request = UploadRequest(entries: [UploadEntry(entry: .add("milk", number), age: 0)])
                let body = try UploadBody(json: request.json, limits: Limits())
                return try await test.store.append(body, to: list, by: alice, ageCap: 0, quotas: quotas).results[0]
            }
            #expect(try await upload(1).sequence?.rawValue == 1)
            try await test.pool.withConnection { connection in
                _ = try await connection.execute("UPDATE list SET head = 100 WHERE id = \(list)")
            }
            #expect(try await upload(2).sequence?.rawValue == 101)
            #expect(try await upload(3).sequence?.rawValue == 102)
            #expect(test.store.appender.statistics.single == 0)
            #expect(try await upload(4).code == .quotaExceeded)
            #expect(test.store.appender.statistics.single == 1)
        }
    }

    @Test(
        "nothing is appended for somebody who is removed between the statement's beginning and its lock",
        .enabled(if: TestNodes.shared == nil, "append_at_once is for one server"))
    func removed() async throws {
        try await TestStore.with(connections: 4) { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let request = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
            let upload = PendingUpload(
                try UploadBody(json: request.json, limits: Limits()), to: list, by: bob, ageCap: 0)
            // The append has begun and has read the list's people. Then it waits before it takes the lock.
            let asked = "FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $6::bigint[])"
            #expect(AppendSQL.batch.sql.contains(asked))
            let held = asked.replacing("FROM ", with: "FROM (SELECT pg_advisory_xact_lock(1)) AS held CROSS JOIN ")
            let statement = Statement(name: "held", sql: AppendSQL.batch.sql.replacing(asked, with: held))
            let rows = try await withThrowingTaskGroup(of: Int.self) { group in
                try await test.pool.withTransaction { connection in
                    try await connection.execute("SELECT pg_advisory_xact_lock(1)")
                    group.addTask {
                        try await test.pool.withConnection { connection in
                            try await connection.execute(statement, [upload].batchBinds).count
                        }
                    }
                    try await connection.untilSomebodyWaits()
                    try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
                }
                return try await group.next()
            }
            #expect(rows == 0)
            #expect(try await test.entries(list, seenBy: alice).isEmpty)
        }
    }
}
