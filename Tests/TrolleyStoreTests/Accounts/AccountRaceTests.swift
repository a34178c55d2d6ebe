import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Accounts, raced", .timeLimit(.minutes(20)))
struct AccountRaceTests {
    @Test(
        "codes for one address that are made at the same time are counted, each of them",
        .enabled(if: TestNodes.shared == nil, "a distributed table has no triggers"))
    func codes() async throws {
        try await TestStore.with(connections: 6) { test in
            let email = EmailAddress(unchecked: "anna@example.com")
            // An insertion that has counted waits until all of them are on their way.
            try await test.run(
                """
                CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$;
                CREATE TRIGGER wait BEFORE INSERT ON email_code FOR EACH ROW EXECUTE FUNCTION wait()
                """)
            let attempts = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM (SELECT pg_advisory_xact_lock(1)) AS held")
                let attempts = (1...4).map { number in
                    Task {
                        try await test.store.createEmailCode(
                            hash: Array(repeating: UInt8(number), count: 32), for: email, lifetime: 3_600_000, limit: 2)
                    }
                }
                try await connection.untilSomebodyWaits(attempts.count)
                return attempts
            }
            var made = 0
            for attempt in attempts where try await attempt.value != nil { made += 1 }
            #expect(made == 2)
            #expect(
                try await test.store.createEmailCode(
                    hash: Array(repeating: 9, count: 32), for: EmailAddress(unchecked: "ben@example.com"),
                    lifetime: 3_600_000, limit: 2) != nil, "another address has its own limit")
        }
    }

    enum Ending: CaseIterable { case everywhere, idle }

    @Test(
        "sessions that end, and subscribing in the browser of one of them, don't wait for each other",
        arguments: Ending.allCases)
    func subscribing(_ kind: Ending) async throws {
        try await TestStore.with(connections: 6) { test in
            let phone = try await test.person("anna")
            let tablet = Session(
                account: phone.account,
                device: try await test.store.createDevice(
                    account: phone.account, name: "tablet", tokenHash: Array(repeating: 7, count: 32)
                ).id)
            try await subscribe(phone, test)
            let sweeping = Store(pool: test.pool, sessionIdle: 60_000)
            try await test.run("UPDATE device SET last_seen_at = now() - interval '1 hour'")
            // Both sides need the tablet's row in the middle of their work; the ending comes first.
            let (ending, subscribing) = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM device WHERE id = \(tablet.device) FOR UPDATE")
                let ending = Task {
                    switch kind {
                    case .everywhere: try await test.store.signOutEverywhere(phone.account)
                    case .idle: try await sweeping.endIdleSessions().ended
                    }
                }
                try await connection.untilSomebodyWaits()
                let subscribing = Task { await failure { try await subscribe(tablet, test) } }
                try await connection.untilSomebodyWaits(2)
                return (ending, subscribing)
            }
            #expect(Set(try await ending.value) == [phone.device, tablet.device])
            #expect(await subscribing.value == "nothing")
            let left = try await test.pool.withConnection { try await $0.execute("SELECT FROM push_target") }
            #expect(left.isEmpty, "neither session is left")
        }
    }

    private func subscribe(_ session: Session, _ test: TestStore) async throws {
        try await test.store.subscribe(
            session, to: "https://push.example.net/one-browser",
            keys: PushKeys(publicKey: Array(repeating: 4, count: 65), secret: Array(repeating: 5, count: 16)),
            app: "https://lists.example.com", withContent: false)
    }

    @Test("a sign-up whose device can't be signed in leaves the address free and the invitation unused")
    func signUp() async throws {
        try await TestStore.with { test in
            let (code, taken): ([UInt8], [UInt8]) = (Array(repeating: 1, count: 32), Array(repeating: 2, count: 32))
            let ben = try await test.person("ben")
            _ = try await test.store.createDevice(account: ben.account, name: "phone", tokenHash: taken)
            _ = try await test.store.createSignUpCode(hash: code, email: nil, lifetime: 3_600_000)
            func signUp(_ tokenHash: [UInt8]) async throws -> (AccountID, DeviceID?) {
                let made = try await test.store.signUp(
                    email: EmailAddress(unchecked: "anna@example.com"), name: "Anna", passwordHash: "-",
                    invitation: code, device: ("browser", tokenHash))
                return (made.account.id, made.device?.id)
            }
            #expect(await failure { try await signUp(taken) }.contains("database"))
            let (account, device) = try await signUp(Array(repeating: 3, count: 32))
            let session = try await test.store.session(tokenHash: Array(repeating: 3, count: 32))
            #expect(session?.account == account && session?.device == device)
        }
    }
}
