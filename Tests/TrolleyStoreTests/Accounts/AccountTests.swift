import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Accounts and devices", .timeLimit(.minutes(20)))
struct AccountTests {
    @Test("an address is one person's, in upper or lower case")
    func emailTaken() async throws {
        try await TestStore.with { test in
            let anna = try await test.create("Anna@Example.com")
            #expect(anna.email == "Anna@Example.com")
            #expect(await failure { try await test.create("anna@example.COM") } == "emailTaken")
            let found = try await test.store.passwordHash(of: EmailAddress(unchecked: "ANNA@example.com"))
            #expect(found?.account == anna && found?.passwordHash == "-")
            #expect(try await test.store.passwordHash(of: EmailAddress(unchecked: "ben@example.com")) == nil)
            #expect(try await test.store.passwordHash(of: EmailAddress(unchecked: "a\0b@example.com")) == nil)
        }
    }

    @Test(
        "an address outside ASCII compares in lower case too",
        arguments: ["İß@example.com", "ΣΑΣ@example.com", "ǅẞϴᏣ@x"])
    func lowerCase(email: String) async throws {
        try await TestStore.with { test in
            _ = try await test.create(email)
            #expect(await failure { try await test.create(email.lowercased()) } == "emailTaken")
        }
    }

    @Test("a device that is signed out has no session and is not listed, and the other stays")
    func signOut() async throws {
        try await TestStore.with { test in
            let alice = try await test.create("alice@example.com")
            let hashes: [[UInt8]] = [Array(repeating: 1, count: 32), Array(repeating: 2, count: 32)]
            let phone = try await test.store.createDevice(account: alice.id, name: "phone", tokenHash: hashes[0])
            let desk = try await test.store.createDevice(account: alice.id, name: "desk", tokenHash: hashes[1])
            try await test.store.signOut(device: phone.id, account: alice.id)
            try await test.store.signOut(device: phone.id, account: alice.id)
            #expect(await failure { try await test.store.session(tokenHash: hashes[0]) } == "signedOut")
            let session = try #require(try await test.store.session(tokenHash: hashes[1]))
            #expect(session == Session(account: alice.id, device: desk.id))
            let listed = try await test.store.devices(seenBy: session)
            #expect(listed.map(\.name) == ["desk"] && listed[0].current)
        }
    }

    @Test func `only a device that was signed out in this epoch, of an account that exists, is told so`() async throws {
        try await TestStore.with { test in
            let alice = try await test.create("alice@example.com")
            var made: UInt8 = 0
            func device() async throws -> (id: DeviceID, hash: [UInt8]) {
                made += 1
                let hash = [UInt8](repeating: made, count: 32)
                let device = try await test.store.createDevice(account: alice.id, name: "phone", tokenHash: hash)
                return (device.id, hash)
            }
            func answer(to hash: [UInt8]) async -> String {
                await failure { try await test.store.session(tokenHash: hash) }
            }
            func run(_ sql: String) async throws {
                _ = try await test.pool.withConnection { try await $0.execute(Query(unescaped: sql)) }
            }
            let (first, second) = (try await device(), try await device())
            // Tokens that no device ever had, and a session that ended by disuse.
            #expect(await answer(to: [UInt8](repeating: 99, count: 32)) == "nothing")
            try await run("UPDATE device SET token_hash = NULL WHERE id = '\(first.id)'")
            #expect(await answer(to: first.hash) == "nothing")
            // A new epoch: what the device knows may not be in the database.
            let epoch = try await test.store.epoch()
            try await test.store.beginEpoch(after: epoch.id, because: .declared)
            try await run("UPDATE device SET last_seen_at = now() - interval '1 hour'")
            try await test.store.signOutEverywhere(alice.id)
            #expect(await answer(to: second.hash) == "nothing")
            // It has been here since.
            let third = try await device()
            try await test.store.signOutEverywhere(alice.id)
            #expect(await answer(to: third.hash) == "signedOut")
            try await run("UPDATE account SET deleted_at = now()")
            #expect(await answer(to: third.hash) == "nothing")
        }
    }

    @Test("an account can't sign out another account's device")
    func foreignDevice() async throws {
        try await TestStore.with { test in
            let (alice, mallory) = (try await test.person("alice"), try await test.person("mallory"))
            #expect(
                await failure { try await test.store.signOut(device: alice.device, account: mallory.account) }
                    == "unknownDevice")
        }
    }
}

extension TestStore {
    fileprivate func create(_ email: String) async throws -> AccountResponse {
        try await store.createAccount(email: EmailAddress(unchecked: email), name: "Anna", passwordHash: "-")
    }
}
