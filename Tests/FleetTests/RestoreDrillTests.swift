import Foundation
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

/// The instructions of docs/recovery.md: three devices write after the backup, the database is restored, and no entry
/// that a device still has is lost.
@Suite("Restore drills", .serialized, .timeLimit(.minutes(60)))
struct RestoreDrillTests {
    @Test("a base backup, started as it is: the same cluster, the same timeline, only older")
    func baseBackup() async throws {
        try await drill { primary in
            let backup = try await primary.backup()
            return { _ in try await TestCluster.start(backup) }
        }
    }

    @Test("pg_dump and pg_restore into another cluster")
    func dump() async throws {
        try await drill { primary in
            let other = try await TestCluster.start()
            try await primary.dump(into: other)
            return { _ in other }
        }
    }

    @Test("trolleyd backup while the service runs, and trolleyd restore into another cluster")
    func commands() async throws {
        let trolleyd = try Self.trolleyd
        let file = "\(NSTemporaryDirectory())/trolley-drill-\(UUID().uuidString).dump"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await drill(endsSessions: true) { primary in
            try await run([trolleyd, "backup", file, "--database-url", primary.url])
            return { _ in
                let other = try await TestCluster.start()
                try await run([trolleyd, "restore", file, "--database-url", other.url])
                return other
            }
        }
    }

    @Test("a service that checks while its database is replaced begins one epoch")
    func oneEpoch() async throws {
        let primary = try await TestCluster.start()
        let pool = Pool(try Store.configuration(primary.url))
        try await Migrator(pool: pool).migrate()
        let store = Store(pool: pool)
        let before = try await store.checkEpoch()
        let file = "\(NSTemporaryDirectory())/trolley-drill-\(UUID().uuidString).dump"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await run([Self.trolleyd, "backup", file, "--database-url", primary.url])
        // Services do the same, less often.
        let looking = Task {
            var seen: [Epoch] = []
            while !Task.isCancelled {
                if let epoch = try? await store.checkEpoch(), seen.last?.id != epoch.id { seen.append(epoch) }
                await Task.yield()
            }
            return seen
        }
        try await run([Self.trolleyd, "restore", file, "--replace", "--database-url", primary.url])
        let after = try await store.checkEpoch()
        looking.cancel()
        #expect(await looking.value.map(\.id) == [before.id, after.id])
        #expect(after.id != before.id && after.reason == .declared)

        // A service can't read the data of an earlier version before it is migrated, so no service may be connected.
        try await pool.withConnection { connection in
            _ = try await connection.execute(
                "DELETE FROM migration WHERE version = (SELECT max(version) FROM migration)")
        }
        try FileManager.default.removeItem(atPath: file)
        try await run([Self.trolleyd, "backup", file, "--database-url", primary.url])
        let refused = await #expect(throws: ProgramFailure.self) {
            try await run([Self.trolleyd, "restore", file, "--replace", "--database-url", primary.url])
        }
        #expect(refused?.description.contains("Stop all services") == true)
        #expect(try await store.epoch().id == after.id)
        await pool.close()
        await primary.stop()
    }

    private static var trolleyd: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent().appending(path: "trolleyd").path
        }
    }

    @Test("a standby that was behind is promoted")
    func promotion() async throws {
        try await drill { primary in
            let standby = try await TestCluster.start(try await primary.backup(asStandby: true))
            let pool = Pool(try Store.configuration(standby.url))
            // The standby falls behind. It does not receive later writes.
            try await pool.withConnection { _ = try await $0.execute("SELECT pg_wal_replay_pause()::text") }
            return { primary in
                await primary.stop()
                try await pool.withConnection { connection in
                    _ = try await connection.execute("SELECT pg_promote()", timeout: .seconds(120))
                }
                await pool.close()
                return standby
            }
        }
    }

    /// - Parameters:
    ///   - endsSessions: whether the restore ends all sessions. Then people sign in again.
    ///   - prepare: makes a copy, and returns the operation that later replaces the original with it.
    private func drill(
        endsSessions: Bool = false, _ prepare: (TestCluster) async throws -> (TestCluster) async throws -> TestCluster
    ) async throws {
        let fleet = try Fleet()
        let primary = try await TestCluster.start()
        var port = 0
        var (weekly, party) = (ListID(UUIDBits(high: 0, low: 0)), ListID(UUIDBits(high: 0, low: 0)))
        var failOver: ((TestCluster) async throws -> TestCluster)?
        var makers: [EntryID: Maker] = [:]
        try await ServedDatabase.run(primary.url, port: 0) { service in
            port = service.port
            try await fleet.signIn(at: "http://127.0.0.1:\(port)")
            weekly = try await fleet.phone.makeList(named: "Weekly").id
            try await fleet.phone.list(weekly).perform([.add(fleet.phone.identifier(), ["text": "milk"], .bottom)])
            let invitation = try await fleet.phone.list(weekly).invite(email: "bob@example.com")
            _ = try await fleet.bob.join(invitation.link)
            try await fleet.sync()

            failOver = try await prepare(primary)

            // The copy does not contain these changes.
            try await fleet.phone.list(weekly).perform([.add(fleet.phone.identifier(), ["text": "bread"], .bottom)])
            try await fleet.bob.list(weekly).perform([.add(fleet.bob.identifier(), ["text": "eggs"], .bottom)])
            let milk = try #require(try await fleet.tablet.list(weekly).state().items.first?.id)
            try await fleet.tablet.list(weekly).perform([.markOff(milk)])
            party = try await fleet.phone.makeList(named: "Party").id
            try await fleet.phone.list(party).perform([.add(fleet.phone.identifier(), ["text": "candles"], .bottom)])
            try await fleet.sync()
            makers = try await fleet.makers(in: [weekly, party])
        }
        let before = (
            weekly: try await fleet.phone.list(weekly).state().digest,
            party: try await fleet.phone.list(party).state().digest
        )
        // These changes are made while the service is down.
        try await fleet.bob.list(weekly).perform([.rename("This week")])
        let epoch = try await Self.epoch(of: primary)
        let takeOver = try #require(failOver)
        let copy = try await takeOver(primary)
        await primary.stop()
        try await ServedDatabase.run(copy.url, port: port) { service in
            if endsSessions { try await fleet.signInAgain(at: "http://127.0.0.1:\(port)") }
            try await fleet.sync()
            let lists = [fleet.phone, fleet.tablet, fleet.bob]
            var digests: Set<String> = []
            for device in lists { digests.insert(try await device.list(weekly).state().digest.description) }
            #expect(digests.count == 1, "all devices are equal")
            let state = try await fleet.phone.list(weekly).state()
            #expect(state.name == "This week" && state.items.filter { !$0.markedOff }.map(\.text) == ["bread", "eggs"])
            #expect(state.digest != before.weekly)
            #expect(try await fleet.phone.list(party).state().digest == before.party)
            #expect(try await fleet.tablet.list(party).state().digest == before.party)
            // The service has all changes.
            let fresh = try fleet.another()
            _ = try await fresh.signIn(
                server: "http://127.0.0.1:\(port)", email: "alice@example.com", password: Fleet.password)
            _ = try await fresh.sync()
            #expect(try await fresh.list(weekly).state().digest.description == digests.first)
            #expect(try await fresh.list(party).state().digest == before.party)
            for device in [fleet.phone, fleet.tablet, fleet.bob] {
                #expect(try await device.sync().waiting == 0)
            }
            // Whoever brought a change back, it is still its maker's.
            let makersAfter = try await fleet.makers(in: [weekly, party])
            #expect(makersAfter.filter { makers[$0.key] != nil } == makers && makersAfter.count == makers.count + 1)
            await fresh.close()
        }
        #expect(try await Self.epoch(of: copy) != epoch)
        await copy.stop()
        await fleet.close()
    }

    private static func epoch(of cluster: TestCluster) async throws -> UUIDBits {
        let pool = Pool(try Store.configuration(cluster.url))
        let epoch = try await Store(pool: pool).epoch().id
        await pool.close()
        return epoch
    }
}

/// Alice's phone and tablet, and Bob's phone.
private struct Fleet {
    static let password = "correct horse battery"
    let directory: String
    let phone: Device
    let tablet: Device
    let bob: Device

    init() throws {
        directory = "\(NSTemporaryDirectory())/trolley-fleet-\(UUID().uuidString)"
        phone = try Device(directory: "\(directory)/phone", connectTimeout: .seconds(60), requestTimeout: .seconds(120))
        tablet = try Device(
            directory: "\(directory)/tablet", connectTimeout: .seconds(60), requestTimeout: .seconds(120))
        bob = try Device(directory: "\(directory)/bob", connectTimeout: .seconds(60), requestTimeout: .seconds(120))
    }

    func another() throws -> Device {
        try Device(directory: "\(directory)/another", connectTimeout: .seconds(60), requestTimeout: .seconds(120))
    }

    func signIn(at server: String) async throws {
        _ = try await phone.signUp(server: server, email: "alice@example.com", name: "Alice", password: Self.password)
        _ = try await tablet.signIn(server: server, email: "alice@example.com", password: Self.password)
        _ = try await bob.signUp(server: server, email: "bob@example.com", name: "Bob", password: Self.password)
    }

    /// Signs all devices in after the service has ended their sessions. Until then they keep their lists and changes.
    func signInAgain(at server: String) async throws {
        for (device, email) in [(phone, "alice@example.com"), (tablet, "alice@example.com"), (bob, "bob@example.com")] {
            let before = try await device.lists()
            guard case .transport(.problem(let problem)) = try await device.sync().failure else {
                Issue.record("the session should have ended")
                return
            }
            #expect(problem.code == .notAuthenticated)
            #expect(try await device.sessionEnded() != nil)
            #expect(try await device.lists() == before && !before.isEmpty)
            _ = try await device.signIn(server: server, email: email, password: Self.password)
        }
    }

    /// Syncs until all devices have all entries.
    func sync() async throws {
        for _ in 0..<3 {
            for device in [bob, phone, tablet] {
                let report = try await device.sync()
                #expect(report.failure == nil)
            }
        }
    }

    /// Who made each change in the Activity, as the service says.
    func makers(in lists: [ListID]) async throws -> [EntryID: Maker] {
        var makers: [EntryID: Maker] = [:]
        for list in lists {
            for item in try await phone.list(list).activity(limit: 200).activity {
                guard case .entry(let entry) = item.event else { continue }
                let maker = Maker(
                    author: entry.author, device: entry.device, number: entry.entry.deviceSequence, at: entry.madeAt)
                #expect(makers.updateValue(maker, forKey: entry.entry.id) == nil)
            }
        }
        return makers
    }

    func close() async {
        for device in [phone, tablet, bob] { await device.close() }
        try? FileManager.default.removeItem(atPath: directory)
    }
}

private struct Maker: Hashable {
    var author: AccountID
    var device: DeviceID
    var number: Int64
    var at: Timestamp
}
