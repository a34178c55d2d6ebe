import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("A restore", .timeLimit(.minutes(20)))
struct ClusterRestoreTests {
    @Test("emptying a database removes everything, also distributed tables, and it can be migrated again")
    func emptying() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            try await test.upload([.add("milk")], to: try await test.list(of: anna), by: anna)
            _ = try await test.store.createHostedDevice(
                account: anna.account, name: "assistant", tokenHash: Array(repeating: 1, count: 32),
                unusable: Array(repeating: 2, count: 32), defaultList: nil, limit: 5)
            let target = RestoreTarget(pool: test.pool)
            #expect(try await target.tables > 20)
            try await test.pool.withTransaction { connection in
                for command in Script(RestoreTarget.emptyDatabaseScript).commands {
                    try await connection.run(script: command)
                }
            }
            #expect(try await target.tables == 0)
            let pool = Pool(test.pool.configuration, options: .patient(2))
            try await Migrator(pool: pool).migrate()
            let again = TestStore(store: Store(pool: pool), pool: pool)
            let ben = try await again.person("anna")
            #expect(try await again.upload([.add("milk")], to: try await again.list(of: ben), by: ben).count == 1)
            await pool.close()
        }
    }

    @Test("people and invitations of a list that the backup lacks are left out, and all others are not")
    func orphans() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            _ = try await test.invite(nil, to: list, of: anna)
            let lost = ListID.version7(at: .now, random: RandomBits.random)
            for table in ["member", "invitation", "departure"] {
                try await test.run("ALTER TABLE \(table) DROP CONSTRAINT \(table)_list_id_fkey")
            }
            try await test.run(
                """
                INSERT INTO member (list_id, account_id, role, permission)
                VALUES ('\(lost)', '\(anna.account)', 'owner', 'readWrite')
                """)
            try await test.run(RestoreTarget.mending)
            let left = try await test.pool.withConnection { connection in
                try await connection.execute(
                    "SELECT list_id FROM member UNION ALL SELECT list_id FROM invitation"
                ).map { try $0.decode(ListID.self, at: 0) }
            }
            #expect(left == [list, list])
        }
    }

    @Test("a restore begins a new epoch, also where each node has the row")
    func epoch() async throws {
        try await TestStore.with { test in
            let before = try await test.store.epoch()
            try await test.pool.withTransaction { connection in
                for command in Script(RestoreTarget.beginEpochScript).commands {
                    try await connection.run(script: command)
                }
            }
            #expect(try await test.store.epoch().id != before.id)
        }
    }
}
