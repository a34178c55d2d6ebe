import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

@testable import TrolleyServer

@Suite("Rounds of summaries", .timeLimit(.minutes(20)))
struct SummarizerTests {
    @Test("a round ends while others hold a whole page of lists, and looks at the lists after them")
    func locked() async throws {
        try await TestService.with(connections: 6) { service in
            // The service's own rounds would come first on a busy machine.
            let leadership = service.service.leadership
            try await eventually("it leads") { leadership.isLeading }
            try await service.anotherLeads()
            try await eventually("its own rounds have ended") { !leadership.isLeading }
            let anna = try await service.person("anna")
            let free = try await service.list(of: anna)
            let held = "owner_id = '\(anna.account)' AND id <> '\(free)'"
            _ = try await service.pool.withTransaction { connection in
                // The longest overdue come first, and there are two pages of them.
                try await connection.run(
                    script: """
                        INSERT INTO list (id, owner_id, summary_due)
                        SELECT gen_random_uuid(), '\(anna.account)', now() - interval '1 hour'
                        FROM generate_series(1, 200)
                        """)
            }
            try await service.pool.withTransaction { connection in
                let locked = try await connection.execute(
                    Query(unescaped: "SELECT id FROM list WHERE \(held) FOR UPDATE"))
                #expect(locked.count == 200)
                _ = try await service.pool.withConnection { other in
                    try await other.execute("UPDATE list SET summary_due = now() WHERE id = \(free)")
                }
                let summarizer = Summarizer(
                    leadership: service.service.leadership, store: service.service.store, hub: service.service.hub,
                    metrics: service.service.metrics, disk: service.service.disk, logger: .none)
                try await within { try await summarizer.summarizeAll() }
                let waiting = try await service.pool.withConnection { other in
                    try await other.execute("SELECT FROM list WHERE summary_due IS NOT NULL").count
                }
                #expect(waiting == 200, "the one that nobody holds was looked at")
            }
            // They were not lost. Nobody has announced them, as an append would have.
            try await service.timeOfTheOtherIsOver()
            service.service.hub.changed(.work)
            let due = Query(unescaped: "SELECT FROM list WHERE summary_due IS NOT NULL")
            try await eventually("lists with a due summary") {
                try await service.pool.withConnection { try await $0.execute(due) }.count
            } until: {
                $0 == 0
            }
        }
    }
}
