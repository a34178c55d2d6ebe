import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Passwords", .timeLimit(.minutes(20)))
struct PasswordTests {
    @Test("a sign-in with the old password during a change is refused")
    func signInMeanwhile() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            try await test.pool.withTransaction { connection in
                _ = try await connection.execute(PasswordSQL.change, [alice.account, "-", "new"])
                async let signIn = failure {
                    try await test.store.createDevice(
                        account: alice.account, name: "thief", tokenHash: [UInt8](repeating: 1, count: 32),
                        passwordHash: "-")
                }
                try await connection.untilSomebodyWaits()
                _ = try await connection.execute(.commit)
                _ = try await connection.execute(.begin)
                #expect(await signIn == "passwordChanged")
            }
        }
    }

    @Test("one of two changes with the same old password is made")
    func twice() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            #expect(try await test.store.changePassword(of: alice, from: "-", to: "one").isEmpty)
            #expect(
                await failure { try await test.store.changePassword(of: alice, from: "-", to: "two") }
                    == "passwordChanged")
            #expect(try await test.store.passwordHash(of: alice.account) == "one")
        }
    }

    @Test("the operator sees accounts page by page, with their lists and devices, and signs one out everywhere")
    func overview() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            _ = try await test.store.createDevice(
                account: bob.account, name: "desk", tokenHash: [UInt8](repeating: 2, count: 32))
            try await test.add(bob, to: try await test.list(of: alice), of: alice)
            _ = try await test.list(of: alice)
            let first = try await test.store.accounts(after: nil, limit: 1)
            let second = try await test.store.accounts(after: first.last?.id, limit: 1)
            #expect((first + second).map(\.email) == ["alice@example.com", "bob@example.com"])
            #expect((first + second).map(\.devices) == [1, 2] && (first + second).map(\.lists) == [2, 0])
            #expect(first[0].lastSeenAt != nil)
            #expect(try await test.store.accounts(after: second.last?.id, limit: 1).isEmpty)
            #expect(try await test.store.signOutEverywhere(bob.account).count == 2)
            #expect(try await test.store.signOutEverywhere(bob.account).isEmpty)
            #expect(try await test.store.accounts(after: nil, limit: 9).map(\.devices) == [1, 0])
        }
    }
}
