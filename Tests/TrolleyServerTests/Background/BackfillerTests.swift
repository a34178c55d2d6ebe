import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("The service completes rows of earlier versions", .timeLimit(.minutes(20)))
struct BackfillerTests {
    @Test("until none is left, and its metrics tell how far it is")
    func steps() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            for _ in 1...2 {
                let list = ListID.random()
                _ = try await service.call("POST", Path.lists, token: anna.token, json: #"{"id":"\#(list)"}"#)
                _ = try await service.upload([.add("milk")], to: list, by: anna)
            }
            try await service.pool.withConnection { connection in
                try await connection.run(script: "UPDATE list SET mark_of = NULL, mark = NULL")
                try await connection.run(
                    script: "UPDATE backfill SET finished_at = NULL WHERE name = 'list_mark'")
            }
            let backfiller = Backfiller(
                leadership: service.service.leadership, store: service.service.store, logger: .none,
                metrics: service.service.metrics, disk: service.service.disk)
            // The service's own may take a step, too.
            var outcome = Backfiller.Outcome.went
            while case .went = outcome { outcome = await backfiller.step() }
            #expect(outcome == .finished)
            let unmarked = try await service.pool.withConnection { connection in
                try await connection.execute("SELECT FROM list WHERE mark_of IS DISTINCT FROM head").count
            }
            #expect(unmarked == 0)
            let lines = [
                #"trolley_backfill_lists{backfill="list_mark"} 2"#,
                #"trolley_backfill_lists_done{backfill="list_mark"} 2"#,
            ]
            try await eventually("the metrics tell of both lists") {
                let text = service.service.metrics.registry.text
                return lines.allSatisfy { text.contains($0) }
            }
        }
    }
}
