import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Changing one's address", .timeLimit(.minutes(20)))
struct EmailTests {
    @Test("a removed person can't return by changing their address and changing it back")
    func removed() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            let secret = try await test.add(bob, to: list, of: alice)
            try await test.setEmail("robert@example.com", of: bob)
            let people = try await test.store.share(of: list, for: alice.account).share.participants
            #expect(people.map(\.email) == ["alice@example.com", "robert@example.com"], "each of them once")
            try await test.store.removeParticipant(bob.account, from: list, by: alice.account)
            try await test.setEmail("bob@example.com", of: bob)
            #expect(
                await failure { try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 9) }
                    == "unknownInvitation")
        }
    }

    @Test("a used invitation follows its person to another address, with the owner's latest permission")
    func comingBack() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let (list, left) = (try await test.list(of: alice), try await test.list(of: alice))
            let secrets = [
                try await test.add(bob, to: list, of: alice), try await test.add(bob, to: left, of: alice),
            ]
            try await test.store.removeParticipant(bob.account, from: left, by: bob.account)
            try await test.setEmail("robert@example.com", of: bob)
            _ = try await test.store.permit(.readOnly, to: bob.account, on: list, by: alice.account)
            try await test.store.removeParticipant(bob.account, from: list, by: bob.account)
            // Another account has the old address by now.
            let other = try await test.person("bob")
            for (secret, permission) in zip(secrets, [Permission.readOnly, .readWrite]) {
                let refused = await failure {
                    try await test.store.acceptInvitation(secretHash: secret, by: other.account, limit: 9)
                }
                #expect(refused == "unknownInvitation")
                let back = try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 9)
                #expect(back.permission == permission)
            }
        }
    }

    @Test("an unused invitation stays with its address when the person changes theirs")
    func neverCame() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            let secret = try await test.invite("bob@example.com", to: list, of: alice)
            try await test.setEmail("robert@example.com", of: bob)
            let other = try await test.person("bob")
            let refused = await failure {
                try await test.store.acceptInvitation(secretHash: secret, by: bob.account, limit: 9)
            }
            #expect(refused == "unknownInvitation")
            #expect(try await test.store.lists(of: bob.account).isEmpty)
            let joined = try await test.store.acceptInvitation(secretHash: secret, by: other.account, limit: 9)
            #expect(joined.id == list && joined.role == .participant)
            let people = try await test.store.share(of: list, for: alice.account).share.participants
            #expect(people.map(\.email) == ["alice@example.com", "bob@example.com"])
        }
    }

    @Test("an account that is deleted leaves no address behind that it ever had on a list")
    func deleted() async throws {
        try await TestStore.with { test in
            let (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            for email in ["robert@example.com", "rob@example.com"] { try await test.setEmail(email, of: bob) }
            try await test.store.deleteAccount(bob.account)
            let left = try await test.pool.withConnection { connection in
                try await connection.execute(
                    Query(
                        unescaped: """
                            SELECT change::text FROM event WHERE change::text ~ '(bob|robert|rob)@'
                            UNION ALL
                            SELECT email FROM invitation
                            """)
                ).map { try $0.decode(String.self, at: 0) }
            }
            #expect(left == [])
        }
    }
}

extension TestStore {
    /// The person proves that the address is theirs.
    fileprivate func setEmail(_ text: String, of person: Session) async throws {
        let email = EmailAddress(unchecked: text)
        let code: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }
        _ = try #require(try await store.createEmailCode(hash: code, for: email, lifetime: 60_000, limit: 9))
        _ = try await store.setEmail(email, of: person.account, codeHash: code)
    }
}
