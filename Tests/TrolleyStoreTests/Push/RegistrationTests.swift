import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Registrations of programs", .timeLimit(.minutes(20)))
struct RegistrationTests {
    @Test("registering again changes the registration; another endpoint of the program takes the place of the first")
    func again() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let (list, other) = (try await test.list(of: anna), try await test.list(of: anna))
            let phone = try await test.program(of: anna)
            let first = try await test.register(phone, for: list)
            let second = try await test.register(phone, for: list, content: false, seconds: 60)
            #expect(second.id == first.id && second.expiresAt < first.expiresAt)
            #expect(try await test.rows("push_registration WHERE properties AND NOT content") == 1)
            try await test.register(phone, for: other)
            #expect(try await test.rows("push_registration") == 2)
            let moved = try await test.register(phone, for: list, endpoint: "elsewhere")
            #expect(moved.id != first.id)
            #expect(try await test.rows("push_registration") == 1)
            #expect(try await test.rows("push_target WHERE url LIKE '%/elsewhere'") == 1)
            #expect(try await test.rows("push_target") == 1)

            #expect(try await !test.store.endRegistration(moved.id, of: ben.account))
            #expect(try await !test.store.endRegistration(first.id, of: anna.account))
            #expect(try await test.store.endRegistration(moved.id, of: anna.account))
            #expect(try await !test.store.endRegistration(moved.id, of: anna.account))
            #expect(try await test.rows("push_target") == 0)
        }
    }

    @Test("a registration ends with what waits for it, and the program's endpoint is forgotten with the last one")
    func ended() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let (list, other) = (try await test.list(of: anna), try await test.list(of: anna))
            let phone = try await test.program(of: anna)
            let first = try await test.register(phone, for: list)
            try await test.register(phone, for: other)
            for each in [list, other] { try await test.upload([.add("milk")], to: each, by: anna) }
            #expect(try await test.tellRegistered().told == 2)
            #expect(try await test.store.endRegistration(first.id, of: anna.account))
            #expect(try await test.rows("push_delivery WHERE list_id = '\(other)'") == 1)
            #expect(try await test.rows("push_delivery") == 1)
            #expect(try await test.rows("push_target") == 1)
            try await test.store.revokePersonalToken(phone.device, of: anna.account)
            for table in ["push_target", "push_registration", "push_delivery"] {
                #expect(try await test.rows(table) == 0, "\(table)")
            }
            #expect(await failure { try await test.register(phone, for: list) } == "signedOut")
        }
    }

    @Test("nothing is told after a registration, or its token, has expired, and both are deleted")
    func expired() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            let (phone, laptop) = (try await test.program(of: anna), try await test.program(of: anna))
            let registration = try await test.register(phone, for: list, endpoint: "phone")
            try await test.register(laptop, for: list, endpoint: "laptop")
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 2)
            try await test.run(
                """
                UPDATE push_registration SET expires_at = now() WHERE id = '\(registration.id)';
                UPDATE push_delivery SET expires_at = now()
                WHERE target_id = (SELECT target_id FROM push_registration WHERE id = '\(registration.id)');
                UPDATE push_target SET calendar_until = now() WHERE device_id = '\(phone.device)';
                UPDATE personal_token SET expires_at = now() WHERE device_id = '\(laptop.device)'
                """)
            #expect(try await test.claimDeliveries().map(\.target.url) == ["https://push.example.net/laptop"])
            try await test.upload([.add("eggs", 2)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 0)
            #expect(try await !test.store.endRegistration(registration.id, of: anna.account))
            try await test.store.deleteExpired()
            #expect(try await test.rows("push_registration") == 1)
            #expect(try await test.rows("push_target") == 1)
            _ = try await test.store.endExpiredTokens()
            #expect(try await test.rows("push_target") == 0)
        }
    }

    @Test("a program has registrations for 200 lists, and an account a thousand")
    func limits() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let (list, other) = (try await test.list(of: anna), try await test.list(of: anna))
            let phone = try await test.program(of: anna)
            func fill(to count: Int) async throws {
                try await test.run(
                    """
                    INSERT INTO push_registration (
                        id, target_id, list_id, content, properties, expires_at, told_through, told_permission
                    )
                    SELECT gen_random_uuid(), id, gen_random_uuid(), true, true, now() + interval '1 day', 0, 'readWrite'
                    FROM push_target, generate_series(1, \(count) - (SELECT count(*) FROM push_registration))
                    WHERE device_id = '\(phone.device)'
                    """)
            }
            try await test.register(phone, for: list)
            try await fill(to: 200)
            #expect(await failure { try await test.register(phone, for: other) } == "tooManySubscriptions")
            try await test.register(phone, for: list)
            let laptop = try await test.program(of: anna)
            try await test.register(laptop, for: list, endpoint: "laptop")
            try await fill(to: 1000)
            #expect(
                await failure { try await test.register(laptop, for: other, endpoint: "laptop") }
                    == "tooManySubscriptions")
            try await test.register(laptop, for: list, endpoint: "laptop")
        }
    }

    @Test("registrations of people who have left the list, or for a list that has ended, end")
    func left() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            let bens = try await test.program(of: ben)
            try await test.register(try await test.program(of: anna), for: list, endpoint: "anna")
            try await test.register(bens, for: list, endpoint: "ben")
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 2)
            try await test.store.removeParticipant(ben.account, from: list, by: anna.account)
            #expect(try await test.rows("push_delivery WHERE account_id = '\(ben.account)'") == 0)
            #expect(await failure { try await test.register(bens, for: list) }.hasPrefix("gone("))
            try await test.upload([.add("eggs", 2)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
            #expect(try await test.rows("push_registration") == 1)
            try await test.store.deleteList(list, by: anna.account)
            #expect(try await test.tellRegistered().told == 0)
            #expect(try await test.rows("push_registration") == 0)
        }
    }

    @Test("somebody who is being removed is told nothing", .enabled(if: TestNodes.shared == nil, "for one server"))
    func removal() async throws {
        try await TestStore.with(connections: 6) { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.register(try await test.program(of: ben), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            let meanwhile = try await test.pool.withTransaction { connection in
                try await connection.execute(
                    "DELETE FROM member WHERE list_id = \(list) AND account_id = \(ben.account)")
                return try await test.tellRegistered()
            }
            #expect(meanwhile.told == 0 && meanwhile.held == [list] && meanwhile.failed.isEmpty)
            #expect(try await test.tellRegistered().told == 0)
            #expect(try await test.rows("push_registration") == 0)
            #expect(try await test.rows("push_delivery") == 0)
        }
    }
}
