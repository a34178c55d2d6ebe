import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite(
    "Rows that a page of messages reads", .timeLimit(.minutes(20)),
    .enabled(if: TestNodes.shared == nil, "counts of one server"))
struct MessageRowTests {
    @Test("the 2 newest messages of 10,002 take 3 rows: theirs, and the one at the token's place")
    func rows() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let head = try await test.fill(list, with: 10_000, of: alice)
            let said = ["one", "two"].map { text in
                JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .message,
                    fields: [Fields.text: .string(text)], deviceSequence: 1)
            }
            try await test.upload(said, to: list, by: alice)
            try await test.pool.withConnection { _ = try await $0.execute("ANALYZE entry") }
            // The counts of the only session of a pool are those of this test alone.
            let pool = Pool(test.pool.configuration, options: .patient(1))
            let store = Store(pool: pool)
            for _ in 1...2 {
                let rows = try await eventually("rows, in a read of less than a second") {
                    try await pool.rowsRead {
                        let page = try await store.messages(of: list, for: alice.account, at: .after(head), limit: 50)
                        #expect(page.messages.map(\.text) == ["one", "two"] && page.total == 10_002)
                    }
                } until: {
                    $0 != nil
                }
                #expect(rows == 3)
            }
            await pool.close()
        }
    }
}

extension TestStore {
    /// Puts messages of one person into a new list, as uploads would.
    /// - Returns: the list's head.
    fileprivate func fill(_ list: ListID, with count: Int64, of person: Session) async throws -> SequenceNumber {
        try await pool.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO entry (
                    list_id, sequence, entry_id, operation, fields, cause, device_sequence, author_id, device_id, made_at,
                    received_at)
                SELECT \(list), list.head + number, gen_random_uuid(), 'message',
                    json_build_object('text', 'message ' || number), 'edit', number, \(person.account),
                    \(person.device), now(), now()
                FROM list, generate_series(1, \(count)) AS number
                WHERE list.id = \(list)
                """)
            return try await connection.execute(
                """
                UPDATE list
                SET head = head + \(count), messages = \(count), live_entries = \(count)
                WHERE id = \(list)
                RETURNING head
                """)[0].decode(SequenceNumber.self, at: 0)
        }
    }
}
