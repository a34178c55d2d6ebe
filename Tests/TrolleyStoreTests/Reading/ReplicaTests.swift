import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("A read replica", .serialized, .timeLimit(.minutes(20)))
struct ReplicaTests {
    @Test(
        "answers when it has all that the primary has, is passed over when it is behind, and never serves the removed")
    func paused() async throws {
        let primary = try await TestCluster.start()
        let pool = Pool(try Store.configuration(primary.url), options: .patient(4))
        try await Migrator(pool: pool).migrate()
        let standby = try await TestCluster.start(try await primary.backup(asStandby: true))
        var impatient = Pool.Options()
        impatient.acquireTimeout = .seconds(1)
        let replicaPool = Pool(try Store.configuration(standby.url), options: impatient)
        let replica = Replica(pool: replicaPool)
        let test = TestStore(store: Store(pool: pool, replica: replica), pool: pool)
        let cluster = Replication(primary: pool, standby: replicaPool)

        let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
        let list = try await test.list(of: alice)
        try await test.add(bob, to: list, of: alice)
        try await test.upload([.add("milk")], to: list, by: alice)
        let milk = try await test.store.changes(of: list, for: bob.account, after: .start, limit: 10)
        try await cluster.catchUp()
        let served = replica.answers
        let fromReplica = try await test.store.changes(of: list, for: bob.account, after: .start, limit: 10)
        #expect(try fromReplica.changes == milk.changes && replica.answers == served + 1)
        _ = try await test.store.state(of: list, for: bob.account)
        _ = try await test.store.activity(of: list, for: bob.account, before: nil, by: nil, of: nil, limit: 10)
        _ = try await test.store.replay(of: list, for: bob.account, through: nil)
        let all = try await test.store.changes(for: bob.account, after: [:], limit: 10)
        #expect(try all.stretches.map { try $0.changes } == [milk.changes] && replica.answers == served + 5)

        // From here on the replica stands still.
        try await cluster.pause()
        try await test.upload([.add("eggs", 2)], to: list, by: alice)
        let behind = replica.answers
        let eggs = try await test.store.changes(of: list, for: bob.account, after: milk.head, limit: 10)
        #expect(eggs.stored.count == 1 && eggs.head == milk.head.advanced(by: 1))
        #expect(try await test.store.state(of: list, for: bob.account).state.items.count == 2)
        #expect(
            try await test.store.changes(for: bob.account, after: [list: milk.head], limit: 10)
                .stretches.map(\.stored.count) == [1])
        #expect(replica.answers == behind)

        // A token that is beyond the replica and not beyond the primary is good.
        #expect(try await test.store.changes(of: list, for: bob.account, after: eggs.head, limit: 10).stored.isEmpty)
        // The replica still has Bob on the list, and all of it.
        try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
        let refusals = [
            await failure { try await test.store.changes(of: list, for: bob.account, after: .start, limit: 10) },
            await failure { try await test.store.state(of: list, for: bob.account) },
            await failure {
                try await test.store.activity(of: list, for: bob.account, before: nil, by: nil, of: nil, limit: 10)
            },
            await failure { try await test.store.replay(of: list, for: bob.account, through: nil) },
        ]
        #expect(refusals.allSatisfy { $0 == "gone(TrolleyWire.ListGoneReason.removed)" }, "\(refusals)")
        let gone = try await test.store.changes(for: bob.account, after: [list: milk.head], limit: 10)
        #expect(gone.stretches.isEmpty && gone.gone == [list: .removed])
        #expect(replica.answers == behind)

        // It catches up, and answers again.
        try await cluster.resume()
        try await cluster.catchUp()
        _ = try await test.store.changes(of: list, for: alice.account, after: .start, limit: 10)
        #expect(replica.answers == behind + 1)

        // It is gone: the primary answers.
        await standby.stop()
        #expect(
            try await test.store.changes(of: list, for: alice.account, after: milk.head, limit: 10).stored.count == 2)
        await replicaPool.close()
        await pool.close()
        await primary.stop()
    }

    @Test("an answer about several lists is not given while it has one that the person was removed from")
    func removedFromOneOfSeveral() async throws {
        try await withReplica { test, replica, cluster in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (first, second) = (try await test.list(of: alice), try await test.list(of: alice))
            for list in [first, second] { try await test.add(bob, to: list, of: alice) }
            let tokens = try await test.heads(of: bob)
            try await test.upload([.add("for all"), .add("secret", 2)], to: first, by: alice)
            try await test.upload([.add("bread", 3)], to: second, by: alice)
            try await cluster.catchUp()
            // The replica has all the news, and doesn't hear that Bob is no longer on the first list.
            try await cluster.pause()
            try await test.store.removeParticipant(bob.account, from: first, by: alice.account)
            let answers = replica.answers
            let news = try await test.store.changes(for: bob.account, after: tokens, limit: 10)
            #expect(news.stretches.map(\.list) == [second] && news.stretches.map(\.stored.count) == [1])
            #expect(news.gone == [first: .removed] && replica.answers == answers)
        }
    }

    @Test("an answer about several lists is not given while one is missing that the person has joined")
    func joinedOneMore() async throws {
        try await withReplica { test, replica, cluster in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (first, second) = (try await test.list(of: alice), try await test.list(of: alice))
            try await test.add(bob, to: first, of: alice)
            let tokens = try await test.heads(of: bob)
            try await test.upload([.add("bread")], to: first, by: alice)
            try await cluster.catchUp()
            try await cluster.pause()
            try await test.add(bob, to: second, of: alice)
            let answers = replica.answers
            let news = try await test.store.changes(for: bob.account, after: tokens, limit: 10)
            #expect(Set(news.stretches.map(\.list)) == [first, second] && replica.answers == answers)
        }
    }

    @Test("a replica of an older epoch is passed over")
    func olderEpoch() async throws {
        try await withReplica { test, replica, cluster in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            try await cluster.catchUp()
            try await cluster.pause()
            let epoch = try await test.store.beginEpoch(after: try await test.store.epoch().id, because: .declared)
            let answers = replica.answers
            let one = try await test.store.changes(of: list, for: alice.account, after: .start, limit: 10)
            let all = try await test.store.changes(for: alice.account, after: [:], limit: 10)
            #expect(one.epoch == epoch.id && all.stretches.map(\.epoch) == [epoch.id])
            #expect(replica.answers == answers)
        }
    }

    /// A store that reads from a replica, which a test can stop.
    private func withReplica(_ body: (TestStore, Replica, Replication) async throws -> Void) async throws {
        let primary = try await TestCluster.start()
        let pool = Pool(try Store.configuration(primary.url), options: .patient(4))
        try await Migrator(pool: pool).migrate()
        let standby = try await TestCluster.start(try await primary.backup(asStandby: true))
        let replicaPool = Pool(try Store.configuration(standby.url), options: .patient(4))
        let replica = Replica(pool: replicaPool)
        let outcome: Result<Void, any Error>
        do {
            try await body(
                TestStore(store: Store(pool: pool, replica: replica), pool: pool), replica,
                Replication(primary: pool, standby: replicaPool))
            outcome = .success(())
        } catch { outcome = .failure(error) }
        await replicaPool.close()
        await pool.close()
        await standby.stop()
        await primary.stop()
        try outcome.get()
    }
}

extension TestStore {
    /// The heads of all that somebody is on.
    fileprivate func heads(of session: Session) async throws -> [ListID: SequenceNumber] {
        let all = try await store.changes(for: session.account, after: [:], limit: 10)
        return Dictionary(uniqueKeysWithValues: all.stretches.map { ($0.list, $0.head) })
    }
}

/// A primary and its standby, as far as a test steers them.
private struct Replication {
    let primary: Pool
    let standby: Pool

    func pause() async throws {
        try await standby.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_pause()::text") }
        // It is only asked for at first.
        while try await ask("SELECT pg_get_wal_replay_pause_state()", on: standby) != "paused" {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func resume() async throws {
        try await standby.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_resume()::text") }
    }

    /// Returns when the standby has replayed all that the primary has written.
    func catchUp() async throws {
        // What is committed, whether or not it is written yet.
        let written = try await ask("SELECT pg_current_wal_insert_lsn()::text", on: primary)
        let sql = "SELECT (pg_last_wal_replay_lsn() >= '\(written)'::pg_lsn)::text"
        while try await ask(sql, on: standby) != "true" { try await Task.sleep(for: .milliseconds(10)) }
    }

    private func ask(_ sql: String, on pool: Pool) async throws -> String {
        try await pool.withConnection { connection in
            try await connection.execute(Query(unescaped: sql))[0].decode(String.self, at: 0)
        }
    }
}
