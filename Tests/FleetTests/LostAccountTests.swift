import GRDB
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// Nobody loses a list when the database is restored to a time before a sign-up or before a list was created.
@Suite(.timeLimit(.minutes(60))) struct LostAccountTests {
    @Test func `a person who signs up again after a restore gets their lists and changes, and others rejoin them`()
        async throws
    {
        try await LostScene.play { lost in
            let scene = try await Scene(lost.database)
            try await scene.sync(scene.bob, scene.alice)
            try await scene.add(["unsent too"], on: scene.alice)
            let before = try await scene.alice.state(of: scene.list)
            #expect(before.items.count == 5)
            try await lost.restore()
            scene.network.current = lost.database.service
            // The service no longer knows the devices. They keep their lists.
            for device in [scene.alice, scene.bob] {
                device.clock.pass(1)
                #expect(
                    try await device.sync(.manual, over: scene.network, random: 0)?.failure?.code == .notAuthenticated)
                #expect(try await device.store.deviceStatus().retryState.sessionEndedAt == device.clock.now.wall)
            }
            #expect(try await scene.alice.state(of: scene.list) == before)

            let alice = try await scene.network.signUp(scene.people[0].email)
            let bob = try await scene.network.signUp(scene.people[1].email)
            #expect(alice.id != scene.people[0].id)
            try await scene.network.signIn(scene.alice, as: alice, succeeding: scene.people[0])
            try await scene.network.signIn(scene.bob, as: bob, succeeding: scene.people[1])
            #expect(try await scene.alice.state(of: scene.list) == before)
            try await scene.sync(scene.alice, scene.bob)
            #expect(try await scene.alice.state(of: scene.list) == before, "the service has all of it")
            // Bob's device keeps the list locally and does not create it on the service.
            let kept = try #require(try await scene.bob.store.read { try $0.summaries() }.first)
            #expect(kept.id == scene.list && kept.isLocal && kept.owner?.account == scene.people[0].id)
            try await scene.add(["Bob's, meanwhile"], on: scene.bob)
            try await scene.network.share(Path.list(scene.list), from: scene.alice, to: scene.bob)
            try await scene.bob.store.join(scene.list)
            try await scene.check(["milk", "bread", "unsent", "unsent too", "eggs", "Bob's, meanwhile"])
            for device in [scene.alice, scene.bob] { #expect(try await device.store.rejected().isEmpty) }
        }
    }

    @Test func `lists that stayed in sight when signing out go back to their account, and not to another`() async throws
    {
        try await Scene.play { scene in
            let before = try await scene.alice.state(of: scene.list)
            try await scene.alice.store.signOut(.stay)
            #expect(try await scene.alice.state(of: scene.list) == before)
            #expect(try await scene.alice.store.read { try $0.summaries() }.map(\.isKept) == [true])
            let carl = try await scene.network.signUp("carl-\(scene.database.nextNumber())@example.com")
            try await scene.network.signIn(scene.alice, as: carl)
            try await scene.sync(scene.alice)
            #expect(try await scene.alice.state(of: scene.list) == before, "in sight, on this device alone")
            try await scene.alice.store.signOut(.leave)
            #expect(try await scene.alice.state(of: scene.list) == before)
            try await scene.network.signIn(scene.alice, as: scene.people[0])
            try await scene.check()
        }
    }

    @Test func `lists that are hidden when the service can't be told come back whole`() async throws {
        try await Scene.play { scene in
            let before = try await scene.alice.state(of: scene.list)
            try await scene.alice.store.signOut(.hide, isKnown: false)
            #expect(try await scene.alice.store.deviceStatus().lists.isEmpty)
            let hidden = try await scene.alice.store.hiddenLists()
            #expect(hidden.map(\.email) == [scene.people[0].email] && hidden.map(\.waiting) == [1])
            try await scene.network.signIn(scene.alice, as: scene.people[0])
            #expect(try await scene.alice.state(of: scene.list) == before, "before any sync")
            #expect(try await scene.alice.store.takeUnendedSessions(of: scene.people[0].id).count == 1)
            #expect(try await scene.alice.store.takeUnendedSessions(of: scene.people[0].id).isEmpty)
            try await scene.check()
        }
    }

    @Test(arguments: [true, false])
    func `a list that the service has lost is its owner's, also when a participant makes it first`(
        _ participantIsFirst: Bool
    ) async throws {
        try await LostScene.play { lost in
            let scene = try await Scene(lost.database, savingBeforeList: { lost.copy = try await lost.database.save() })
            let before = try await scene.bob.state(of: scene.list)
            try await lost.restore()
            scene.network.current = lost.database.service
            func claim() async throws -> Int {
                try await scene.network.calm(
                    .post, Path.lists, CreateListRequest(id: scene.list), token: scene.bob.session?.token
                ).status
            }
            if participantIsFirst { #expect(try await claim() == 201) }
            try await scene.sync(scene.alice)
            #expect(try await claim() == 409)
            let people = try await scene.alice.store.share(of: scene.list)?.participants ?? []
            let owner = people.first { $0.role == .owner }
            #expect(owner == nil || owner?.account == scene.people[0].id)
            #expect(try await scene.alice.state(of: scene.list).items.count == 3, "her own, and nothing lost of it")
            if !participantIsFirst {
                try await scene.sync(scene.bob)
                #expect(try await scene.bob.state(of: scene.list) == before, "kept until he is invited again")
                try await scene.network.share(Path.list(scene.list), from: scene.alice, to: scene.bob)
                try await scene.bob.store.join(scene.list)
            }
            try await scene.check()
        }
    }

    /// The key differs, so no proof is valid.
    @Test func `when a participant has made a list on an emptied service, its owner has all of it under another id`()
        async throws
    {
        try await LostScene.play { lost in
            let scene = try await Scene(lost.database, savingBeforeList: { lost.copy = try await lost.database.save() })
            try await scene.sync(scene.alice)
            let before = try await scene.alice.state(of: scene.list)
            try await lost.restore()
            try await lost.database.execute(
                "UPDATE service SET epoch = gen_random_uuid(), token_key = sha256('another service')")
            // The restart makes the service read the new key.
            try await lost.database.restore(try await lost.database.save())
            scene.network.current = lost.database.service
            _ = try await scene.network.calm(
                .post, Path.lists, CreateListRequest(id: scene.list), token: scene.bob.session?.token)
            try await scene.sync(scene.alice)
            let list = try #require(try await scene.alice.store.read { try $0.summaries() }.first)
            #expect(list.id != scene.list && list.owner == nil && list.waiting == 0)
            // What Bob added says that it is his: the service can't recognize the receipts.
            let after = try await scene.alice.state(of: list.id)
            #expect(after.withoutWriters == before)
            #expect(after.items.contains { $0.fields[Fields.writtenBy] != nil })
            #expect(
                try await scene.alice.store.read { try $0.undoRecords(of: try $0.list(list.id), tracing: false) }.count
                    == 3)
            let answer: ListsResponse = try await scene.network.calm(
                .get, Path.lists, token: scene.alice.session?.token
            ).decoded()
            #expect(answer.lists.map(\.id) == [list.id])
        }
    }

    @Test func `a list that was made before there were proofs gets one with the next fetch`() async throws {
        try await Scene.play { scene in
            func proofs(_ device: FleetDevice) async throws -> [Bool?] {
                try await device.store.read { try $0.lists().map { $0.ownership.map { !$0.isEmpty } } }
            }
            for device in [scene.alice, scene.bob] {
                try await device.store.write { try $0.db.execute(sql: "UPDATE list SET ownership = NULL") }
            }
            try await scene.sync(scene.alice, scene.bob)
            #expect(try await proofs(scene.alice) == [true])
            #expect(try await proofs(scene.bob) == [false], "and is not asked for again")
            let owner = OwnerRequest(account: scene.people[1].id)
            _ = try await scene.network.calm(
                .put, Path.owner(scene.list), owner, token: scene.alice.session?.token)
            try await scene.sync(scene.alice, scene.bob)
            #expect(try await proofs(scene.alice) == [false])
            try await scene.sync(scene.bob)
            #expect(try await proofs(scene.bob) == [true])
        }
    }
}

/// One home is one device of the account, however often somebody signs in on it.
@Suite(.timeLimit(.minutes(60))) struct SignInAgainTests {
    @Test func `signing in again ends the session that the device had, also one that nobody could be told the end of`()
        async throws
    {
        try await withTestDatabase(FleetService.migrated) { url in
            try await ServedDatabase.run(url) { service in
                let directory = FleetDirectory()
                let device = try Device(
                    directory: directory.path, connectTimeout: .seconds(60), requestTimeout: .seconds(120))
                let pool = Pool(try PostgresConfiguration(url))
                func devices() async throws -> Int64 {
                    try await pool.withConnection { connection in
                        let rows = try await connection.execute(
                            "SELECT count(*) FROM device WHERE token_hash IS NOT NULL")
                        return try rows[0].decode(Int64.self, at: 0)
                    }
                }
                let (email, password) = ("anna@example.com", "correct horse battery")
                _ = try await device.signUp(
                    server: service.address, email: email, name: "Anna", password: password)
                #expect(try await devices() == 1)
                _ = try await device.signIn(server: service.address, email: "Anna@example.com", password: password)
                #expect(try await devices() == 1)
                // This is the state after signing out without reaching the service.
                try await device.store.signOut(.hide, isKnown: false)
                _ = try await device.signIn(server: service.address, email: email, password: password)
                #expect(try await devices() == 1)
                await #expect(throws: DeviceError.signedIn(email)) {
                    _ = try await device.signUp(
                        server: service.address, email: email, name: "Anna", password: password)
                }
                await pool.close()
                await device.close()
            }
        }
    }
}

/// An address can move to another account while its earlier account still exists.
@Suite(.timeLimit(.minutes(60))) struct AddressTests {
    @Test func `signing in where the address has gone to another account splits no list of the one that had it`()
        async throws
    {
        try await withTestDatabase(FleetService.migrated) { url in
            try await ServedDatabase.run(url) { service in
                let directories = [FleetDirectory(), FleetDirectory()]
                let devices = try directories.map {
                    try Device(directory: $0.path, connectTimeout: .seconds(60), requestTimeout: .seconds(120))
                }
                let (device, email) = (devices[0], "anna@example.com")
                let first = try await device.signUp(
                    server: service.address, email: email, name: "Anna", password: "correct horse")
                let list = try await device.makeList(named: "Shop")
                #expect(try await device.sync(.manual).waiting == 0)
                let pool = Pool(try PostgresConfiguration(url))
                func ask(_ sql: String) async throws -> Int64 {
                    try await pool.withConnection { connection in
                        try await connection.execute(Query(unescaped: sql))[0].decode(Int64.self, at: 0)
                    }
                }
                // Somebody proves that the address is theirs.
                #expect(
                    try await ask(
                        """
                        WITH code AS (
                            INSERT INTO email_code (code_hash, email_key, expires_at)
                            VALUES (sha256('0000111122223333'), '\(email)', now() + interval '1 hour')
                            RETURNING 1)
                        SELECT count(*) FROM code
                        """) == 1)
                let second = try await devices[1].signUp(
                    server: service.address, email: email, name: "Ann", password: "battery staple",
                    emailCode: "0000-1111-2222-3333")
                #expect(second.account != first.account)

                // Once signed in, and once signed out without telling the service.
                func signIn() async throws -> AccountSession {
                    try await device.signIn(server: service.address, email: email, password: "battery staple")
                }
                await #expect(throws: DeviceError.signedIn(email)) { _ = try await signIn() }
                #expect(try await device.session() == first)
                #expect(
                    try await ask("SELECT count(*) FROM device WHERE token_hash IS NOT NULL") == 2,
                    "the session that was just made has ended")
                try await list.perform([.add(device.identifier(), ["text": "milk"], .bottom)])
                try await device.store.signOut(.hide, isKnown: false)
                #expect(try await signIn().account == second.account)
                #expect(try await device.sync(.manual).waiting == 0)
                #expect(try await device.lists().isEmpty)
                _ = try await device.signOut()
                _ = try await device.signIn(
                    server: service.address, email: "\(first.account)@unverified.invalid", password: "correct horse")
                #expect(try await device.sync(.manual).waiting == 0)
                #expect(try await device.lists().map(\.id) == [list.id])
                #expect(try await list.state().items.map(\.text) == ["milk"])
                #expect(try await ask("SELECT count(*) FROM list") == 1)
                #expect(try await ask("SELECT count(*) FROM member WHERE account_id = '\(first.account)'") == 1)
                await pool.close()
                for device in devices { await device.close() }
            }
        }
    }
}

/// A database with an older copy.
private final class LostScene {
    let database: FleetDatabase
    var copy = ""

    init(_ database: FleetDatabase) { self.database = database }

    func restore() async throws {
        try await database.restore(copy)
        try await database.service.beginEpoch()
    }

    static func play(_ body: (LostScene) async throws -> Void) async throws {
        try await withTestDatabase(FleetService.migrated) { url in
            let scene = LostScene(try await FleetDatabase(url: url))
            do {
                scene.copy = try await scene.database.save()
                try await body(scene)
            } catch {
                await scene.database.close()
                throw error
            }
            await scene.database.close()
        }
    }
}

extension ListState {
    /// The list without the names of people whose words somebody else brought back.
    fileprivate var withoutWriters: ListState {
        var state = self
        for index in state.items.indices {
            state.items[index].fields[Fields.writtenBy] = nil
            state.items[index].fields[Fields.writtenAt] = nil
        }
        return state
    }
}
