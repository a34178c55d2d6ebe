import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// With a real pgbouncer in transaction mode: each transaction may use another server connection.
@Suite("Through a pooler", .timeLimit(.minutes(20)))
struct PoolerTests {
    @Test("a service that prepares nothing migrates, appends, fetches and compresses as ever")
    func everything() async throws {
        try await withTestDatabase { direct in
            try await TestPooler.with(direct, connections: 2) { url in
                var configuration = try Store.configuration(url)
                configuration.preparesStatements = false
                // More connections than server connections, so that these are shared.
                let pool = Pool(configuration, options: .patient(8))
                try await Migrator(pool: pool).migrate()
                let test = TestStore(store: Store(pool: pool), pool: pool)
                let (alice, list) = try await test.finishedItems(10)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for uploader in 0..<8 {
                        group.addTask {
                            for number in 0..<5 {
                                let entry = JournalEntry.add("\(uploader)", Int64(21 + 5 * uploader + number))
                                let results = try await test.upload([entry], to: list, by: alice)
                                #expect(results.statuses == [.applied])
                                _ = try await test.stream(list, seenBy: alice)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let before = try await test.store.state(of: list, for: alice.account)
                #expect(before.state.items.count == 40)
                let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
                #expect(try await test.store.compress(list, olderThan: cutOff, step: 6)?.discarded == 20)
                let after = try await test.store.state(of: list, for: alice.account)
                #expect(after.digest == before.digest)
                #expect(try await test.store.dropTrail(olderThan: cutOff.advanced(byMilliseconds: 60_000)) > 0)
                #expect(try await test.store.checkEpoch() == test.store.epoch())
                await pool.close()
            }
        }
    }

    @Test("a statement that takes too long is cancelled through the pooler, and the connection goes on")
    func cancels() async throws {
        try await withTestDatabase { direct in
            try await TestPooler.with(direct, connections: 1) { url in
                var configuration = try Store.configuration(url)
                configuration.preparesStatements = false
                let pool = Pool(configuration, options: .patient(1))
                let sleep = Statement(name: "sleep", sql: "SELECT pg_sleep(3600)")
                await #expect(throws: PostgresError.self) {
                    try await pool.withConnection { try await $0.execute(sleep, timeout: .milliseconds(200)) }
                }
                let rows = try await pool.withConnection { try await $0.execute("SELECT 1::bigint") }
                #expect(try rows[0].decode(Int64.self, at: 0) == 1)
                await pool.close()
            }
        }
    }

    @Test("such a pooler can't do prepared statements, so the setting is needed")
    func preparedFails() async throws {
        try await withTestDatabase { direct in
            try await TestPooler.with(direct, connections: 2) { url in
                let pool = Pool(try Store.configuration(url), options: .patient(4))
                let statement = Statement(name: "one", sql: "SELECT $1::bigint")
                let failures = try await pool.withConnection { first in
                    try await pool.withConnection { second in
                        // Both are prepared on any free server connection; then they swap connections.
                        var failures = 0
                        for _ in 0..<4 {
                            for connection in [first, second] {
                                do { try await connection.execute(statement, [Int64(1)]) } catch { failures += 1 }
                            }
                            try await first.execute("BEGIN")
                            do { try await second.execute(statement, [Int64(1)]) } catch { failures += 1 }
                            try await first.execute("ROLLBACK")
                        }
                        return failures
                    }
                }
                #expect(failures > 0)
                await pool.close()
            }
        }
    }
}
