import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("The service's own compression", .timeLimit(.minutes(20)))
struct CompressorTests {
    /// The ages differ from each other by more than the test's own offsets.
    private static let retention = Retention(
        compressionAge: Age(days: 10).milliseconds, trail: Age(days: 100).milliseconds,
        activity: Age(days: 400).milliseconds)

    private func with(_ body: (TestService, Compressor) async throws -> Void) async throws {
        try await TestService.with(configure: { $0.retention = Self.retention }) { service in
            let compressor = Compressor(
                leadership: service.service.leadership, store: service.service.store, retention: Self.retention,
                logger: .none, hub: service.service.hub,
                metrics: service.service.metrics, disk: service.service.disk)
            try await body(service, compressor)
        }
    }

    @Test("entries go when they are older than their age, and no sooner")
    func entries() async throws {
        try await with { service, compressor in
            let anna = try await service.person("anna")
            let young = try await service.finishedList(of: anna, receivedAt: "now() - interval '9 days 23 hours'")
            let old = try await service.finishedList(of: anna, receivedAt: "now() - interval '10 days 1 hour'")
            await compressor.compressAll()
            #expect(try await service.lists(in: "entry") == [young])
            #expect(try await service.lists(in: "archived_entry") == [old])
            // The operator's page tells of it.
            let runs = try await service.service.store.maintenanceRuns()
            let run = try #require(runs.first { $0.entries != 0 })
            #expect(run.task == .compression && run.failed == 0 && run.bytes == nil && run.lists == 1)
        }
    }

    @Test("the trail goes when it is older than its age, and no sooner")
    func trail() async throws {
        try await with { service, compressor in
            let anna = try await service.person("anna")
            let kept = try await service.finishedList(of: anna, receivedAt: "now() - interval '11 days'")
            let dropped = try await service.finishedList(of: anna, receivedAt: "now() - interval '11 days'")
            await compressor.compressAll()
            #expect(try await service.lists(in: "event") == [kept, dropped])
            for (list, age) in [(kept, "99 days 23 hours"), (dropped, "100 days 1 hour")] {
                try await service.execute(
                    "UPDATE event SET received_at = now() - interval '\(age)' WHERE list_id = '\(list)'")
            }
            await compressor.compressAll()
            #expect(try await service.lists(in: "event") == [kept])
        }
    }

    @Test("months of the Activity go when they end before their age, and no sooner")
    func months() async throws {
        try await with { service, compressor in
            let anna = try await service.person("anna")
            let month = "date_trunc('month', now() - interval '400 days', 'UTC')"
            let kept = try await service.finishedList(of: anna, receivedAt: month)
            let gone = try await service.finishedList(of: anna, receivedAt: "\(month) - interval '1 hour'")
            await compressor.compressAll()
            #expect(try await service.lists(in: "archived_entry") == [kept])
            #expect(try await service.lists(in: "archived_id") == [kept, gone], "ids stay taken")
        }
    }

    @Test("without an age for it the Activity stays for ever")
    func forEver() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.finishedList(of: anna, receivedAt: "now() - interval '20 years'")
            await Compressor(
                leadership: service.service.leadership, store: service.service.store, retention: Retention(),
                logger: .none, hub: service.service.hub,
                metrics: service.service.metrics, disk: service.service.disk
            ).compressAll()
            #expect(try await service.lists(in: "archived_entry") == [list])
        }
    }

    @Test("devices hear at once that compression was on their list")
    func hints() async throws {
        try await with { service, compressor in
            let anna = try await service.person("anna")
            let list = try await service.finishedList(of: anna, receivedAt: "now() - interval '11 days'")
            let stream = try await service.service.hub.subscribe(
                Session(account: anna.account, device: anna.device), lastEventID: nil)
            _ = stream.take()
            await compressor.compressAll()
            let heard = try await stream.hears("event: changed")
            #expect(heard.contains(#"{"list":"\#(list)","sequence":3}"#))
            service.service.hub.unsubscribe(stream)
        }
    }
}

extension TestService {
    /// A list with one deleted item.
    /// - Parameter receivedAt: the time at which all entries were received, as SQL.
    fileprivate func finishedList(of person: Person, receivedAt: String) async throws -> ListID {
        let list = try await list(of: person)
        let milk = JournalEntry.add("milk", 1)
        let gone = JournalEntry(id: .random(), operation: .delete, item: milk.item, deviceSequence: 2)
        _ = try await upload([milk, gone], to: list, by: person)
        try await execute(
            "UPDATE entry SET made_at = \(receivedAt), received_at = \(receivedAt) WHERE list_id = '\(list)'")
        try await execute("UPDATE list SET uncompressed_since = \(receivedAt) WHERE id = '\(list)'")
        return list
    }

    /// The lists that have rows in a table.
    fileprivate func lists(in table: String) async throws -> Set<ListID> {
        let rows = try await pool.withConnection { connection in
            try await connection.execute(Query(unescaped: "SELECT DISTINCT list_id::text FROM \(table)"))
        }
        return Set(try rows.compactMap { ListID(try $0.decode(String.self, at: 0)) })
    }

    fileprivate func execute(_ sql: String) async throws {
        _ = try await pool.withConnection { try await $0.execute(Query(unescaped: sql)) }
    }
}
