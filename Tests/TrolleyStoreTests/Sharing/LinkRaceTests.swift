import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

@Suite("A one-time link, raced", .timeLimit(.minutes(20)))
struct LinkRaceTests {
    @Test("one of several people who use a link at once joins")
    func race() async throws {
        try await TestStore.with(connections: 6) { test in
            let alice = try await test.person("alice")
            var guests: [Session] = []
            for name in ["bob", "carol", "dan"] { guests.append(try await test.person(name)) }
            let list = try await test.list(of: alice)
            let link = try await test.invite(nil, to: list, of: alice)
            // All of them have read that the link can be used before the first one uses it.
            let attempts = try await test.pool.withTransaction { connection in
                try await connection.execute(ListSQL.lockAlways, [list])
                let attempts = guests.map { guest in
                    Task {
                        await failure {
                            try await test.store.acceptInvitation(secretHash: link, by: guest.account, limit: 100)
                        }
                    }
                }
                try await connection.untilSomebodyWaits(guests.count)
                return attempts
            }
            var outcomes: [String] = []
            for attempt in attempts { outcomes.append(await attempt.value) }
            #expect(outcomes.sorted() == ["nothing", "unknownInvitation", "unknownInvitation"])
            var members = 0
            for guest in guests { members += try await test.store.lists(of: guest.account).count }
            #expect(members == 1)
        }
    }
}
