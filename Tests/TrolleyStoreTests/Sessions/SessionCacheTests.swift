import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Session cache", .timeLimit(.minutes(20)))
struct SessionCacheTests {
    private let cache = SessionCache()
    private let alice = Session(
        account: .version7(at: .now, random: RandomBits.random), device: .version7(at: .now, random: RandomBits.random))
    private let asked = ContinuousClock.now

    private let epoch = UUIDBits(high: 1, low: 1)
    private func generation(_ ended: Int64) -> SessionCache.Generation { .init(epoch: epoch, ended: ended) }

    @Test("a session counts for half a second after anybody was looked up, and for a minute at the most")
    func trust() {
        cache.note(generation(7), [[1]: alice], asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked + .milliseconds(499)) == alice)
        #expect(cache.session(tokenHash: [1], now: asked + .milliseconds(500)) == nil)
        #expect(cache.session(tokenHash: [2], now: asked) == nil)

        cache.note(generation(7), asked: asked + .seconds(59))
        #expect(cache.session(tokenHash: [1], now: asked + .milliseconds(59_400)) == alice)
        cache.note(generation(7), asked: asked + .seconds(60))
        #expect(cache.session(tokenHash: [1], now: asked + .seconds(60)) == nil)
    }

    @Test("a session that ends takes no other session with it")
    func one() {
        let ben = Session(
            account: .version7(at: .now, random: RandomBits.random),
            device: .version7(at: .now, random: RandomBits.random))
        cache.note(generation(7), [[1]: alice, [2]: ben], asked: asked)
        cache.note(generation(8), ended: [.init(number: 8, device: alice.device)], asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked) == nil)
        #expect(cache.session(tokenHash: [2], now: asked) == ben)
        // Signed in again, with another token.
        cache.note(generation(8), [[3]: alice], asked: asked)
        #expect(cache.session(tokenHash: [3], now: asked) == alice && cache.session(tokenHash: [1], now: asked) == nil)
        // What was already known comes again with the next ends.
        cache.note(
            generation(10),
            ended: [
                .init(number: 8, device: alice.device), .init(number: 9, device: .version7(at: .now, random: (1, 1))),
                .init(number: 10, device: .version7(at: .now, random: (2, 2))),
            ], asked: asked)
        #expect(cache.session(tokenHash: [2], now: asked) == ben && cache.session(tokenHash: [3], now: asked) == alice)
    }

    @Test("when sessions end and it isn't known which, none that was confirmed before counts")
    func ended() {
        cache.note(generation(7), [[1]: alice], asked: asked)
        cache.note(generation(8), asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked) == nil)
        // The answer to an earlier lookup, or to that of a faster connection.
        cache.note(generation(7), [[1]: alice], asked: asked + .milliseconds(1))
        #expect(cache.session(tokenHash: [1], now: asked) == nil)
        cache.note(generation(8), [[1]: alice], asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked) == alice)
    }

    @Test("a restored database's counts differ from the counts before")
    func restored() {
        cache.note(generation(7), [[1]: alice], asked: asked)
        cache.note(.init(epoch: UUIDBits(high: 2, low: 2), ended: 7), asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked) == nil)
    }

    @Test("sessions that count no more take no room for ever")
    func room() {
        for number in 0..<100_000 {
            let hash = withUnsafeBytes(of: number) { Array($0) }
            cache.note(generation(7), [hash: alice], asked: asked + .milliseconds(100 * number))
        }
        #expect(cache.count <= 2_048)
    }
}

@Suite("Sessions", .timeLimit(.minutes(20)))
struct SessionTests {
    @Test(
        "a token that was signed out is refused at once by this process, and soon by another")
    func signedOut() async throws {
        try await TestStore.with { test in
            let other = Store(pool: test.pool)
            let alice = try await test.store.createAccount(
                email: EmailAddress(unchecked: "alice@example.com"), name: "Alice", passwordHash: "-")
            let hash = [UInt8](repeating: 1, count: 32)
            let phone = try await test.store.createDevice(account: alice.id, name: "phone", tokenHash: hash)
            for store in [test.store, other] {
                let session = try await store.session(tokenHash: hash)
                #expect(session == Session(account: alice.id, device: phone.id))
            }
            try await test.store.signOut(device: phone.id, account: alice.id)
            #expect(await failure { try await test.store.session(tokenHash: hash) } == "signedOut")
            // Looking again and again doesn't keep it in the cache.
            try await eventually {
                await failure { try await other.session(tokenHash: hash) }
            } until: {
                $0 == "signedOut"
            }
        }
    }

    @Test(
        "whichever way a session ends, it is counted",
        arguments: ["sign out", "hosted", "account", "everywhere", "password"])
    func counted(way: String) async throws {
        try await TestStore.with { test in
            let store = test.store
            let alice = try await store.createAccount(
                email: EmailAddress(unchecked: "alice@example.com"), name: "Alice", passwordHash: "-")
            let hash = [UInt8](repeating: 1, count: 32)
            let device: DeviceID
            if way == "hosted" {
                device = try await store.createHostedDevice(
                    account: alice.id, name: "kitchen", tokenHash: [UInt8](repeating: 3, count: 32), unusable: hash,
                    defaultList: nil, limit: 10)
            } else {
                device = try await store.createDevice(account: alice.id, name: "phone", tokenHash: hash).id
            }
            let other = Store(pool: test.pool)
            _ = try await other.session(tokenHash: hash)
            switch way {
            case "sign out": try await store.signOut(device: device, account: alice.id)
            case "hosted": try await store.deleteHostedDevice(device, of: alice.id)
            case "everywhere": try await store.signOutEverywhere(alice.id)
            case "password":
                let desk = try await store.createDevice(
                    account: alice.id, name: "desk", tokenHash: [UInt8](repeating: 4, count: 32))
                _ = try await store.changePassword(
                    of: Session(account: alice.id, device: desk.id), from: "-", to: "new")
            default: try await store.deleteAccount(alice.id)
            }
            // Looking up another session tells a process that this session has ended. Without that it would still count at this
            // time.
            let asked = ContinuousClock.now
            _ = try await other.sessionLookups.ask([UInt8](repeating: 2, count: 32))
            #expect(other.sessions.session(tokenHash: hash, now: asked) == nil)
        }
    }

    @Test("a sign-out at one process costs another one the lookup of that session alone")
    func others() async throws {
        try await TestStore.with { test in
            let other = Store(pool: test.pool)
            var devices: [(AccountID, DeviceID)] = []
            for number in 0..<3 {
                let person = try await test.store.createAccount(
                    email: EmailAddress(unchecked: "\(number)@example.com"), name: "Alice", passwordHash: "-")
                let hash = [UInt8](repeating: UInt8(number), count: 32)
                devices.append(
                    (
                        person.id,
                        try await test.store.createDevice(account: person.id, name: "phone", tokenHash: hash).id
                    ))
                _ = try await other.session(tokenHash: hash)
            }
            try await test.store.signOut(device: devices[0].1, account: devices[0].0)
            // On a busy machine the cached session may have expired when the answer comes.
            let asked = ContinuousClock.now
            _ = try await other.sessionLookups.ask([UInt8](repeating: 9, count: 32))
            let known = (0..<3).map { number in
                other.sessions.session(tokenHash: [UInt8](repeating: UInt8(number), count: 32), now: asked)?.device
            }
            #expect(known == [nil, devices[1].1, devices[2].1])
        }
    }

    @Test("idle sessions end a page of devices at a time, and no other session has to be looked up for that")
    func idle() async throws {
        try await TestStore.with { test in
            let alice = try await test.store.createAccount(
                email: EmailAddress(unchecked: "alice@example.com"), name: "Alice", passwordHash: "-")
            var devices: [DeviceID] = []
            for number in 0..<5 {
                let hash = [UInt8](repeating: UInt8(number), count: 32)
                devices.append(try await test.store.createDevice(account: alice.id, name: "phone", tokenHash: hash).id)
            }
            let store = Store(pool: test.pool, sessionIdle: 3_600_000)
            let hash = [UInt8](repeating: 4, count: 32)
            _ = try await store.session(tokenHash: hash)
            try await test.run(
                "UPDATE device SET last_seen_at = now() - interval '2 hours' WHERE id <> '\(devices[4])'")
            var place: DeviceID?
            var ended: [[DeviceID]] = []
            repeat {
                let page = try await store.endIdleSessions(after: place, limit: 2)
                ended.append(page.ended)
                place = page.next
            } while place != nil
            // Ids of one millisecond are in no order, so the device that is used may be on any page.
            let sorted = devices.sorted()
            let pages = [sorted[0...1], sorted[2...3]].map { Set($0).subtracting([devices[4]]) }
            #expect(ended.map(Set.init).prefix(2) == pages[...])
            #expect(Set(ended.flatMap(\.self)) == Set(devices.dropLast()))
            // On a busy machine the cached session may have expired when the answer comes.
            let asked = ContinuousClock.now
            _ = try await store.sessionLookups.ask([UInt8](repeating: 9, count: 32))
            #expect(store.sessions.session(tokenHash: hash, now: asked)?.device == devices[4])
        }
    }

    @Test("tokens that are asked for at the same time get each its own answer")
    func many() async throws {
        try await TestStore.with { test in
            var known: [[UInt8]: Session] = [:]
            for number in 0..<20 {
                let alice = try await test.store.createAccount(
                    email: EmailAddress(unchecked: "\(number)@example.com"), name: "Alice", passwordHash: "-")
                let hash = [UInt8](repeating: UInt8(number), count: 32)
                let device = try await test.store.createDevice(account: alice.id, name: "phone", tokenHash: hash)
                known[hash] = Session(account: alice.id, device: device.id)
            }
            let expected = known
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let hash = [UInt8](repeating: UInt8(number % 30), count: 32)
                        let session = try await test.store.session(tokenHash: hash)
                        #expect(session == expected[hash])
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
