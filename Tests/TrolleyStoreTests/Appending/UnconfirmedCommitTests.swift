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
        let pool = Pool(configuration, options: .patient(4))
        try await Migrator(pool: pool).migrate()
        let test = TestStore(store: Store(pool: pool), pool: pool)
        let alice = try await test.person("alice")
        let list = try await test.list(of: alice)
        let cluster = Replication(primary: pool, standby: pool)
        // On a busy machine a statement takes a while until its commit waits. Nothing else may be ended by this time-out.
        configuration.statementTimeout = .seconds(3)
        let impatientPool = Pool(configuration, options: .patient(4))
        let impatient = TestStore(store: Store(pool: impatientPool), pool: impatientPool)
        try await cluster.waitForStandby("nobody")
        let milk = JournalEntry.add("milk")
        for _ in 0..<2 {
            let outcome = await failure { try await impatient.upload([milk], to: list, by: alice) }
            #expect(outcome.hasPrefix("unavailable"), "\(outcome)")
        }
        try await cluster.waitForStandby("")
        let again = try await test.upload([milk], to: list, by: alice)
        #expect(again.statuses == [.duplicate] && again.sequences == [1])
        await impatientPool.close()
        await pool.close()
        await primary.stop()
    }
}
