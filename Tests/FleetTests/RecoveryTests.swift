import FoundationEssentials
import Synchronization
import Testing
import TrolleyJournal
import TrolleyServer
import TrolleyStore
import TrolleySync
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// A device's recovery from failures, on the real service: it ends with the right list, and keeps its unsent changes.
@Suite(.timeLimit(.minutes(60))) struct RecoveryTests {
    @Test func `signing out and in again brings the lists back, and what was unsent is sent then`() async throws {
        try await Scene.play { scene in
            try await scene.alice.store.signOut()
            #expect(try await scene.alice.store.deviceStatus().lists.isEmpty)
            try await scene.network.signIn(scene.alice, as: scene.people[0])
            try await scene.check()
        }
    }

    @Test func `fetching afresh replaces what was there and keeps what is unsent`() async throws {
        try await Scene.play { scene in
            try await scene.alice.store.forgetTokens(of: scene.list)
            #expect(try await scene.alice.state(of: scene.list).items.count == 3, "until the snapshot is here")
            try await scene.check()
        }
    }

    @Test func `a token that is too old to be honoured leads to a snapshot`() async throws {
        try await Scene.play { scene in
            try await scene.receive([], token: "AREiM0RVZneIAAAAAAAAAAHzX1k5cGg5Ym1xZ2Rk", on: scene.alice)
            try await scene.check()
        }
    }

    /// The entries before Bob's token are compressed, and the discards that would tell his device are deleted.
    @Test func `a device that was away for longer than the trail fetches a snapshot, and keeps its unsent entries`()
        async throws
    {
        try await Scene.play { scene in
            try await scene.sync(scene.alice, scene.bob)
            let (store, list) = (scene.network.current.store, scene.list)
            let token = try #require(try await scene.bob.store.read { try $0.list(list).token })
            func ask() async throws -> FleetAnswer {
                let path = "\(Path.changes(scene.list))?since=\(token)"
                return try await scene.network.calm(.get, path, token: scene.bob.session?.token)
            }
            // Bob's device goes offline with an unsent change.
            try await scene.add(["jam"], on: scene.bob)
            let milk = try #require(try await scene.alice.state(of: scene.list).items.first { $0.text == "milk" })
            _ = try await scene.alice.store.append(
                [Samples.markOff(milk.id)], to: scene.list, made: scene.alice.clock.now)
            try await scene.sync(scene.alice)
            // A month later milk is compressed. Devices that return within 90 days learn of it.
            let day: Int64 = 86_400_000
            let (now, retention) = (try await store.now(), Retention())
            let compressed = try await store.compress(
                list, olderThan: now.advanced(byMilliseconds: 30 * day - retention.compressionAge))
            #expect(compressed.map { $0.discarded > 0 } == true)
            func dropTrail(after days: Int64) async throws -> Int {
                try await store.dropTrail(olderThan: now.advanced(byMilliseconds: days * day - retention.trail))
            }
            #expect(try await dropTrail(after: 89) == 0)
            #expect(try await ask().status == 200)
            // After 91 days the service no longer has the trail.
            #expect(try await dropTrail(after: 91) == 1)
            let refused: Problem = try await ask().decoded()
            #expect(refused.code == .changeTokenExpired)
            try await scene.check(["bread", "unsent", "eggs", "jam"])
            #expect(try await scene.bob.store.rejected().isEmpty)
        }
    }

    @Test func `another epoch leads to a snapshot`() async throws {
        try await Scene.play { scene in
            try await scene.network.current.beginEpoch()
            try await scene.check()
        }
    }

    @Test func `a restored service gets back what its devices know`() async throws {
        try await Scene.play { scene in
            let copy = try await scene.database.save()
            scene.network.current = scene.database.service
            try await scene.add(["after the copy"], on: scene.bob)
            try await scene.sync(scene.alice, scene.bob)
            try await scene.database.restore(copy)
            scene.network.current = scene.database.service
            try await scene.network.current.beginEpoch()
            try await scene.check(["milk", "bread", "unsent", "eggs", "after the copy"])
        }
    }

    /// The fleets' service is one process, whatever its limits are. As two processes, one trusted a session that the
    /// other had ended, and a healed run got `notAuthenticated` half a second later.
    @Test func `a device whose session ended under other limits stays signed out`() async throws {
        try await Scene.play { scene in
            let session = try #require(scene.bob.session)
            func status() async throws -> Int {
                try await scene.network.calm(.get, Path.account, token: session.token).status
            }
            #expect(try await status() == 200)
            scene.network.current = try await scene.database.service.with { $0.limits.entriesPerRequest = 3 }
            _ = try await scene.network.calm(.delete, Path.session, token: session.token)
            scene.network.current = scene.database.service
            #expect(try await status() == 401)
        }
    }

    @Test func `a device that has come to another list than the service fetches it afresh and says so`() async throws {
        try await Scene.play { scene in
            try await scene.sync(scene.alice)
            let list = scene.list
            // An entry disappears from the device, which no program causes.
            let milk = try #require(try await scene.alice.store.journal(of: list).confirmed.first)
            let row = try await scene.alice.store.read { try $0.list(list) }
            let lost = Change(sequence: row.through, body: .discard(ids: [milk.entry.id], anchors: [:]))
            try await scene.receive([lost], token: try #require(row.token), on: scene.alice)
            #expect(try await scene.alice.state(of: list).items.count == 3)
            scene.alice.clock.pass(3_600_001)
            let report = try await scene.alice.sync(.launch, over: scene.network, random: 0)
            #expect(report?.failure == nil)
            let after = try await scene.alice.store.read { try $0.list(list) }
            #expect(after.differed == 1 && after.differedAt == scene.alice.clock.now.wall && after.token != nil)
            try await scene.check()
            #expect(try await scene.alice.store.read { try $0.list(list).differed } == 1, "once was enough")
        }
    }

    @Test(arguments: [true, false])
    func `a removed person's device learns of the removal, even without a token`(_ hasToken: Bool) async throws {
        try await Scene.play { scene in
            try await scene.add(["never sent"], on: scene.bob)
            if !hasToken { try await scene.bob.store.forgetTokens(of: nil) }
            let path = Path.participant(scene.people[1].id, of: scene.list)
            _ = try await scene.network.calm(.delete, path, token: scene.alice.session?.token)
            try await scene.sync(scene.bob)
            #expect(try await scene.bob.store.deviceStatus().lists.isEmpty)
            #expect(try await scene.bob.store.rejected().map(\.entry.fields) == [["text": "never sent"]])
            #expect(try await scene.bob.store.queues().notices.map(\.reason) == [.removed])
        }
    }

    @Test
    func `killed between any two transactions, before or after the commit, a device comes up and nothing is lost`()
        async throws
    {
        // Counts the transactions by a run that is not killed.
        var count = 0
        try await Scene.play { first in
            first.alice.fuse.light(after: nil)
            try await first.sync(first.alice)
            count = first.alice.fuse.count
            #expect(count > 8)
            for place in 0..<count {
                for commitsFirst in [false, true] {
                    let scene = try await Scene(first.database)
                    scene.alice.clock.pass(3_600_001)
                    scene.alice.fuse.light(after: place, commitsFirst: commitsFirst)
                    let report = try await scene.alice.sync(.manual, over: scene.network, random: 0)
                    #expect(report == nil, "it was killed")
                    try await scene.check()
                    #expect(try await scene.alice.store.rejected().isEmpty)
                }
            }
        }
        print("killed \(2 * count) times, at each of \(count) transactions of a run")
    }
}
