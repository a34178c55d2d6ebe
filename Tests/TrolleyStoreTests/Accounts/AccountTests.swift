import Testing
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
            #expect(try await test.store.session(tokenHash: hashes[0]) == nil)
            let session = try #require(try await test.store.session(tokenHash: hashes[1]))
            #expect(session == Session(account: alice.id, device: desk.id))
            let listed = try await test.store.devices(seenBy: session)
            #expect(listed.map(\.name) == ["desk"] && listed[0].current)
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
