import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Session cache")
struct SessionCacheTests {
    private let cache = SessionCache()
    private let alice = Session(
        account: .version7(at: .now, random: RandomBits.random), device: .version7(at: .now, random: RandomBits.random))
    private let asked = ContinuousClock.now

    @Test("a session counts for half a second after the database was asked, and no longer")
    func trust() {
        cache.keep(alice, tokenHash: [1], endings: cache.endings, asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked + .milliseconds(499)) == alice)
        #expect(cache.session(tokenHash: [1], now: asked + .milliseconds(500)) == nil)
        #expect(cache.session(tokenHash: [2], now: asked) == nil)
    }

    @Test("when a session ends, none that was confirmed before counts")
    func cleared() {
        cache.keep(alice, tokenHash: [1], endings: cache.endings, asked: asked)
        cache.clear()
        #expect(cache.session(tokenHash: [1], now: asked) == nil)
    }

    @Test("an answer that was on its way while a session ended isn't kept")
    func overtaken() {
        let endings = cache.endings
        cache.clear()
        cache.keep(alice, tokenHash: [1], endings: endings, asked: asked)
        #expect(cache.session(tokenHash: [1], now: asked) == nil)
    }

    @Test("sessions that count no more take no room for ever")
    func room() {
        for number in 0..<100_000 {
            let hash = withUnsafeBytes(of: number) { Array($0) }
            cache.keep(alice, tokenHash: hash, endings: 0, asked: asked + .milliseconds(number))
        }
        #expect(cache.count <= 2_048)
    }
}

@Suite("Sessions")
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
            #expect(try await test.store.session(tokenHash: hash) == nil)
            var looks = 0
            while try await other.session(tokenHash: hash) != nil {
                // So many pauses are a multiple of what a session is trusted for.
                looks += 1
                try #require(looks < 100)
                try await Task.sleep(for: .milliseconds(20))
            }
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
