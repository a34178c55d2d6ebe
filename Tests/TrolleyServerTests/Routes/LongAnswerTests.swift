import NIOCore
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Long answers", .timeLimit(.minutes(20)))
struct LongAnswerTests {
    /// More than sockets buffer while nobody reads.
    private static let adds = 1900

    private func fill(_ service: TestService, _ list: ListID, of person: Person, adds: Int = adds) async throws {
        let text = String(repeating: "x", count: 4000)
        for start in stride(from: 1, through: adds, by: 380) {
            let entries = (start..<min(start + 380, adds + 1)).map { JournalEntry.add(text, Int64($0)) }
            _ = try await service.upload(entries, to: list, by: person)
        }
    }

    @Test("an export without a reader stops reading the database, and ends")
    func backpressure() async throws {
        try await TestService.with(configure: { configuration in
            configuration.timeouts.write = .milliseconds(300)
            configuration.timeouts.minBytesPerSecond = 1 << 30
        }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            try await fill(service, list, of: anna)
            _ = service.pool.takeStatementTimes()
            try await RawConnection.with(port: service.port, receiveBuffer: 4096) { _, writer in
                try await writer.write(
                    "GET /v1/export HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n\r\n")
                let ended = #"trolley_http_connections_ended_total{reason="write"}"#
                try await eventually {
                    service.service.metrics.registry.text
                } until: {
                    $0.contains(ended)
                }
            }
            // The answer stops among the items; the journal follows them.
            let statements = service.pool.takeStatementTimes().map(\.name)
            #expect(statements.contains("entry_stretch") && !statements.contains("entry_activity_stretch"))
            while service.service.store.memory.used > 0 { await Task.yield() }
        }
    }

    // This test has its own service: the other test's gives a client only 300 ms, which may be too short on a busy
    // machine.
    @Test("an export that is read is complete, however long it is")
    func complete() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            try await fill(service, try await service.list(of: anna), of: anna)
            let whole = try await service.call("GET", "/v1/export", token: anna.token)
            #expect(whole.status == 200 && whole.text.hasSuffix(#"],"complete":true}"#))
            #expect(whole.body.count > 2 * Self.adds * 4000)
        }
    }

    @Test("an account's long answers have a share of the memory; beyond it they may come again, and others go on")
    func share() async throws {
        var reading = ReadingLimits()
        (reading.bytes, reading.bytesPerAccount) = (4 << 20, 1 << 20)
        try await TestService.with(reading: reading) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (annas, bens) = (try await service.list(of: anna), try await service.list(of: ben))
            try await fill(service, annas, of: anna, adds: 120)
            try await fill(service, bens, of: ben, adds: 120)
            let held = try service.service.store.reserve(700 << 10, for: anna.account)
            for path in [Path.state(annas), Path.changes(annas), Path.activity(annas), "/v1/lists/\(annas)/replay"] {
                let problem = try await service.call("GET", path, token: anna.token).problem
                #expect(problem.code == .serviceUnavailable && problem.retryAfter == 1, "\(path)")
            }
            #expect(
                try await service.call("POST", Path.changes, token: anna.token, json: #"{"tokens":{}}"#).outcome
                    == "503 serviceUnavailable")
            #expect(try await service.call("GET", Path.state(bens), token: ben.token).status == 200)
            withExtendedLifetime(held) {}
        }
    }

    @Test("a list that is too long for one answer is refused with the reason, and its pages can be read")
    func tooLong() async throws {
        var reading = ReadingLimits()
        (reading.bytes, reading.bytesPerAccount) = (4 << 20, 1 << 20)
        try await TestService.with(reading: reading) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            try await fill(service, list, of: anna, adds: 300)
            #expect(try await service.call("GET", Path.state(list), token: anna.token).outcome == "413 limitExceeded")
            var (token, count) = (String?.none, 0)
            repeat {
                let page = try await service.changes(list, for: anna, since: token, limit: 150)
                (token, count) = (page.token, count + page.changes.count)
            } while count < 300
        }
    }

    @Test("a page has no more bytes than it may, and says that more is coming")
    func pages() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            try await fill(service, list, of: anna, adds: 1000)
            let answer = try await service.call("GET", "\(Path.changes(list))?limit=5000", token: anna.token)
            let page = try ChangesPage(json: answer.body)
            #expect(page.changes.count == 500 && page.moreComing && answer.body.count < 4 << 20)
            let rest = try await service.changes(list, for: anna, since: page.token, limit: 5000)
            #expect(rest.sequences == Array(501...1000) && !rest.moreComing)
            let all = try await service.allChanges([:], for: anna, limit: 5000)
            #expect(all.moreComing && all.lists.map(\.page.changes.count) == [500])
            let activity = try await service.call("GET", "\(Path.activity(list))?limit=5000", token: anna.token)
            #expect(activity.body.count < 4 << 20 && !activity.text.hasSuffix(#""next":null}"#))
        }
    }

    @Test("quotas in bytes are refused entry by entry, and are in the configuration")
    func quotas() async throws {
        try await TestService.with(configure: { $0.quotas.bytesPerList = 10_000 }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let entries = (1...3).map { JournalEntry.add(String(repeating: "x", count: 3900), $0) }
            let answer = try await service.upload(entries, to: list, by: anna)
            #expect(answer.results.map(\.code) == [nil, nil, .quotaExceeded])
            let config: ConfigResponse = try await service.call("GET", "/v1/config").decode()
            #expect(config.quotas?.bytesPerList == 10_000 && config.quotas?.bytesPerAccount == 64 << 20)
        }
    }
}
