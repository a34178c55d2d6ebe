import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

@Suite("Targets of notices, raced", .timeLimit(.minutes(20)))
struct TargetRaceTests {
    @Test("a summary whose notice replaces another and the end of its target don't wait for each other")
    func ended() async throws {
        try await TestStore.with(connections: 6) { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.store.subscribe(
                anna, to: "https://push.example.net/anna",
                keys: PushKeys(publicKey: Array(repeating: 4, count: 65), secret: Array(repeating: 5, count: 16)),
                app: "https://lists.example.com", withContent: false)
            // Ben's session is over, and a notice of an earlier one waits.
            try await test.upload([.add("milk")], to: list, by: ben)
            _ = try await summarize(list, test)
            let delivery = try #require(
                try await test.store.claimDeliveries(DeliveryLane(failing: false, free: 1)).first)
            try await test.upload([.add("eggs", 2)], to: list, by: ben)
            try await pass(test)

            let (summary, end) = try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM push_delivery WHERE id = \(delivery.id) FOR UPDATE")
                let summary = Task { try await test.store.summarize(list) }
                try await connection.untilSomebodyWaits()
                let end = Task { await failure { try await test.store.endTarget(of: delivery) } }
                try await connection.untilSomebodyWaits(2)
                return (summary, end)
            }
            #expect(try await summary.value?.people == [anna.account])
            #expect(await end.value == "nothing")
            let left = try await test.pool.withConnection { connection in
                try await connection.execute("SELECT FROM push_delivery")
            }
            #expect(left.isEmpty)
        }
    }

    /// An hour passes on all lists.
    private func pass(_ test: TestStore) async throws {
        try await test.run(
            """
            UPDATE entry SET made_at = made_at - interval '1 hour', received_at = received_at - interval '1 hour';
            UPDATE member SET joined_at = joined_at - interval '1 hour';
            UPDATE list SET summary_due = summary_due - interval '1 hour'
            """)
    }

    private func summarize(_ list: ListID, _ test: TestStore) async throws -> SummarizedList? {
        try await pass(test)
        return try await test.store.summarize(list)
    }
}
