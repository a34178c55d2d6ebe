import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Byte quotas", .timeLimit(.minutes(20)))
struct ByteQuotaTests {
    /// The JSON of its fields has 1,000 bytes.
    private static func add(_ number: Int64) -> JournalEntry { .add(String(repeating: "x", count: 989), number) }

    private static func off(_ add: JournalEntry, _ number: Int64) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: .markOff, item: add.item,
            deviceSequence: number)
    }

    private static func edit(_ add: JournalEntry, _ number: Int64) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: .edit, item: add.item, fields: add.fields,
            deviceSequence: number)
    }

    @Test("a list that is full in bytes takes no more items, and can be tidied up")
    func list() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            var quotas = Quotas.none
            quotas.bytesPerList = 10_000
            let adds = (1...12).map { Self.add($0) }
            let first = try await upload(test, Array(adds[0..<7]), to: list, by: anna, quotas)
            #expect(first == Array(repeating: nil, count: 7))
            let second = try await upload(test, Array(adds[7..<12]), to: list, by: anna, quotas)
            #expect(second == [nil, nil, nil, .quotaExceeded, .quotaExceeded])
            #expect(try await bytes(test, list) == [10_000, 10_000])
            // Other changes may use the same amount again. Changes without fields always fit.
            let edits = (20...30).map { Self.edit(adds[0], $0) }
            let third = try await upload(test, edits, to: list, by: anna, quotas)
            #expect(third == Array(repeating: nil, count: 10) + [.quotaExceeded])
            #expect(try await upload(test, [Self.off(adds[0], 40)], to: list, by: anna, quotas) == [nil])
            #expect(try await bytes(test, list) == [20_000, 20_000])
        }
    }

    @Test("all lists of an account count, however they are shared, and a list that goes makes room")
    func account() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let lists = [try await test.list(of: anna), try await test.list(of: anna)]
            try await test.add(ben, to: lists[1], of: anna)
            var quotas = Quotas.none
            quotas.bytesPerAccount = 100_000
            #expect(
                try await upload(test, (1...90).map { Self.add($0) }, to: lists[0], by: anna, quotas)
                    == Array(repeating: nil, count: 90))
            // Adding to another person's list uses its owner's quota. The quota is checked when the list passes a
            // multiple of 64 KiB.
            #expect(try await upload(test, [Self.add(1)], to: lists[1], by: ben, quotas) == [nil])
            let many = try await upload(test, (2...70).map { Self.add($0) }, to: lists[1], by: ben, quotas)
            #expect(many == Array(repeating: nil, count: 9) + Array(repeating: .quotaExceeded, count: 60))
            // Their own lists count separately.
            let bens = try await test.list(of: ben)
            #expect(
                try await upload(test, (1...70).map { Self.add($0) }, to: bens, by: ben, quotas)
                    == Array(repeating: nil, count: 70))
            try await test.store.deleteList(lists[0], by: anna.account)
            #expect(
                try await upload(test, (100...168).map { Self.add($0) }, to: lists[1], by: ben, quotas)
                    == Array(repeating: nil, count: 69))
        }
    }

    @Test("the count is right after compression, single or bundled, and after entries were brought back")
    func counted() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            var lists: [ListID] = []
            for _ in 0..<3 {
                let list = try await test.list(of: anna)
                let adds = (1...20).map { Self.add($0) }
                try await test.upload(adds, to: list, by: anna)
                let offs = adds.prefix(15).enumerated().map { Self.off($1, Int64(21 + $0)) }
                try await test.upload(offs, to: list, by: anna)
                lists.append(list)
            }
            let later = try await test.store.now().advanced(byMilliseconds: 60_000)
            _ = try await test.store.compress(lists[0], olderThan: later)
            #expect(try await bytes(test, lists[0]) == [5000, 5000])
            await test.store.compress(lists, olderThan: later) { _, _ in }
            for list in lists { #expect(try await bytes(test, list) == [5000, 5000]) }
            // An edit brings back an item that was compressed away.
            let gone = try await test.store.replay(of: lists[1], for: anna.account, through: nil).folded.fold.items
                .first { $0.markedOff }
            let unmark = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .unmark, item: try #require(gone).id,
                deviceSequence: 50)
            try await test.upload([unmark], to: lists[1], by: anna)
            #expect(try await bytes(test, lists[1]) == [6000, 6000])
        }
    }

    /// The codes of the rejected entries, in order.
    private func upload(
        _ test: TestStore, _ entries: [JournalEntry], to list: ListID, by session: Session, _ quotas: Quotas
    ) async throws -> [ProblemCode?] {
        let request = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 0) })
        let body = try UploadBody(json: request.json, limits: Limits())
        return try await test.store.append(body, to: list, by: session, ageCap: 0, quotas: quotas).results.map(\.code)
    }

    /// The stored size of a list, and its real size.
    private func bytes(_ test: TestStore, _ list: ListID) async throws -> [Int64] {
        try await test.pool.withConnection { connection in
            let rows = try await connection.execute(
                """
                SELECT bytes, (SELECT coalesce(sum(octet_length(fields::text)), 0) FROM entry WHERE list_id = list.id)
                FROM list
                WHERE id = \(list)
                """)
            let (kept, real) = try rows[0].decode((Int64, Int64).self)
            return [kept, real]
        }
    }
}
