import Foundation
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
        #expect(try all.changeRanges.map { try $0.changes } == [milk.changes] && replica.answers == served + 5)

        // From now on the replica replays nothing.
        try await cluster.pause()
        try await test.upload([.add("eggs", 2)], to: list, by: alice)
        let behind = replica.answers
        let eggs = try await test.store.changes(of: list, for: bob.account, after: milk.head, limit: 10)
        #expect(eggs.stored.count == 1 && eggs.head == milk.head.advanced(by: 1))
        #expect(try await test.store.state(of: list, for: bob.account).state.items.count == 2)
        #expect(
            try await test.store.changes(for: bob.account, after: [list: milk.head], limit: 10)
                .changeRanges.map(\.stored.count) == [1])
        #expect(replica.answers == behind)

        // A token beyond the replica's head, but not beyond the primary's, is valid.
        #expect(try await test.store.changes(of: list, for: bob.account, after: eggs.head, limit: 10).stored.isEmpty)
        // On the replica Bob is still on the list.
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
        #expect(gone.changeRanges.isEmpty && gone.gone == [list: .removed])
        #expect(replica.answers == behind)

        // The replica catches up, and answers again.
        try await cluster.resume()
        try await cluster.catchUp()
        _ = try await test.store.changes(of: list, for: alice.account, after: .start, limit: 10)
        #expect(replica.answers == behind + 1)

        // Without the replica, the primary answers.
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
            // The replica has all entries, but not the change that removed Bob from the first list.
            try await cluster.pause()
            try await test.store.removeParticipant(bob.account, from: first, by: alice.account)
            let answers = replica.answers
            let news = try await test.store.changes(for: bob.account, after: tokens, limit: 10)
            #expect(news.changeRanges.map(\.list) == [second] && news.changeRanges.map(\.stored.count) == [1])
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
            #expect(Set(news.changeRanges.map(\.list)) == [first, second] && replica.answers == answers)
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
            #expect(one.epoch == epoch.id && all.changeRanges.map(\.epoch) == [epoch.id])
            #expect(replica.answers == answers)
        }
    }

    @Test("a replica that is ahead of the primary is not used, so no token goes beyond the primary")
    func ahead() async throws {
        try await withReplica { test, replica, cluster in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (held, free) = (try await test.list(of: alice), try await test.list(of: alice))
            for list in [held, free] { try await test.add(bob, to: list, of: alice) }
            let tokens = try await test.heads(of: bob)
            try await cluster.catchUp()
            // The upload is committed and replayed. The primary would show it after the confirmation of a standby that
            // doesn't exist.
            try await cluster.waitForStandby("nobody")
            let upload = Task { try await test.upload([.add("milk")], to: held, by: alice) }
            try await cluster.waitUntilReplayed(held, beyond: try #require(tokens[held]))
            // A later commit becomes visible at once, so the replica has the two in the other order.
            let local = try await cluster.withoutWaiting(test)
            try await local.upload([.add("bread", 1)], to: free, by: alice)
            try await cluster.catchUp()

            let all = try await test.store.changes(for: bob.account, after: tokens, limit: 10)
            let heads = Dictionary(uniqueKeysWithValues: all.changeRanges.map { ($0.list, $0.head) })
            #expect(heads == [held: tokens[held], free: tokens[free]?.advanced(by: 1)])
            let counts = all.changeRanges.map { ($0.list, $0.stored.count) }
            #expect(Dictionary(uniqueKeysWithValues: counts) == [held: 0, free: 1])
            let one = try await test.store.changes(
                of: held, for: bob.account, after: try #require(tokens[held]), limit: 10)
            #expect(one.head == tokens[held] && one.stored.isEmpty)
            #expect(try await test.store.state(of: held, for: bob.account).sequence == tokens[held])
            let activity = try await test.store.activity(
                of: held, for: bob.account, before: nil, by: nil, of: nil, limit: 10)
            #expect(activity.items.allSatisfy { $0.sequence <= tokens[held] ?? .start })

            try await cluster.waitForStandby("")
            #expect(try await upload.value.statuses == [.applied])
            let served = replica.answers
            let milk = try await test.store.changes(
                of: held, for: bob.account, after: try #require(tokens[held]), limit: 10)
            #expect(milk.stored.count == 1 && replica.answers == served + 1)
            await local.pool.close()
        }
    }

    @Test("a person whose removal a standby has not confirmed is on the list until the confirmation")
    func removalThatWaits() async throws {
        try await withReplica { test, replica, cluster in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let tokens = try await test.heads(of: bob)
            try await cluster.waitForStandby("nobody")
            let removal = Task { try await test.store.removeParticipant(bob.account, from: list, by: alice.account) }
            try await cluster.waitUntilReplayed(list, beyond: try #require(tokens[list]))
            // The replica has the change already.
            let before = try await test.store.changes(for: bob.account, after: [:], limit: 10)
            #expect(before.changeRanges.map(\.head) == [tokens[list]] && before.gone.isEmpty)
            try await cluster.pause()
            try await cluster.waitForStandby("")
            _ = try await removal.value
            try await test.upload([.add("secret")], to: list, by: alice)
            let gone = try await test.store.changes(for: bob.account, after: tokens, limit: 10)
            #expect(gone.changeRanges.isEmpty && gone.gone == [list: .removed])
            #expect(await failure { try await test.store.state(of: list, for: bob.account) }.hasPrefix("gone"))
        }
    }

    /// `TROLLEY_SEED` repeats a run.
    @Test("whatever the order in which commits become visible, tokens skip nothing and the removed are sent nothing")
    func anyOrder() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["TROLLEY_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
        print("replica: TROLLEY_SEED=\(seed)")
        try await withReplica(connections: 12) { test, replica, cluster in
            var scene = try await ReplicaScene(test, cluster, seed: seed)
            for _ in 0..<400 { try await scene.step() }
            try await scene.finish()
            // Otherwise the test has tried nothing. The number of further answers depends on the replica's lag.
            #expect(scene.certainAnswers > 0 && replica.answers >= scene.certainAnswers, "TROLLEY_SEED=\(seed)")
        }
    }

    /// A store that reads from a replica, which a test can stop.
    private func withReplica(
        connections: Int = 4, _ body: (TestStore, Replica, Replication) async throws -> Void
    ) async throws {
        let primary = try await TestCluster.start()
        var configuration = try Store.configuration(primary.url)
        // Test clusters wait for no standby by default.
        configuration.sessionSettings["synchronous_commit"] = "on"
        let pool = Pool(configuration, options: .patient(connections))
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
    /// The heads of all lists of an account.
    func heads(of session: Session) async throws -> [ListID: SequenceNumber] {
        let all = try await store.changes(for: session.account, after: [:], limit: 10)
        return Dictionary(uniqueKeysWithValues: all.changeRanges.map { ($0.list, $0.head) })
    }
}
