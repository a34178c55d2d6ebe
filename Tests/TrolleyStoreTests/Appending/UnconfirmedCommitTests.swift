import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Commits that no standby has confirmed", .timeLimit(.minutes(20)))
struct UnconfirmedCommitTests {
    @Test("an entry is not confirmed before the synchronous standby has it, also when it is sent again")
    func sentAgain() async throws {
        let primary = try await TestCluster.start()
        var configuration = try Store.configuration(primary.url)
        // Test clusters wait for no standby by default.
        configuration.sessionSettings["synchronous_commit"] = "on"
        configuration.statementTimeout = .milliseconds(500)
        let pool = Pool(configuration, options: .patient(4))
        try await Migrator(pool: pool).migrate()
        let test = TestStore(store: Store(pool: pool), pool: pool)
        let alice = try await test.person("alice")
        let list = try await test.list(of: alice)
        let cluster = Replication(primary: pool, standby: pool)
        try await cluster.waitForStandby("nobody")
        let milk = JournalEntry.add("milk")
        for _ in 0..<2 {
            let outcome = await failure { try await test.upload([milk], to: list, by: alice) }
            #expect(outcome.hasPrefix("unavailable"), "\(outcome)")
        }
        try await cluster.waitForStandby("")
        let again = try await test.upload([milk], to: list, by: alice)
        #expect(again.statuses == [.duplicate] && again.sequences == [1])
        await pool.close()
        await primary.stop()
    }
}
