import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyServer

@Suite("Quotas", .timeLimit(.minutes(20)))
struct QuotaTests {
    @Test("the greatest age of an entry is the one that is configured, for an upload alone and for one among others")
    func ageCap() async throws {
        var limits = Limits()
        limits.ageCap = 3_600_000
        try await TestService.with(limits: limits) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk", 1)
            // The second entry has a used id, so it is examined and appended alone.
            for entries in [[milk], [milk, .add("bread", 2)]] {
                let request = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 86_400_000) })
                let answer = try await service.call(
                    "POST", Path.entries(list), token: anna.token, body: request.json)
                let result = try #require(try answer.decode(UploadResponse.self).results.last)
                let (madeAt, receivedAt) = (try #require(result.madeAt), try #require(result.receivedAt))
                #expect(receivedAt.milliseconds - madeAt.milliseconds == 3_600_000)
            }
        }
    }

    @Test("a full list takes no more items, each with its verdict, and can be tidied up")
    func entries() async throws {
        try await TestService.with(configure: { $0.quotas.entriesPerList = 3 }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let adds = (1...5).map { JournalEntry.add("item \($0)", Int64($0)) }
            let first = try await service.upload(Array(adds[0..<2]), to: list, by: anna)
            #expect(first.results.map(\.status) == [.applied, .applied])
            let second = try await service.upload(Array(adds[2..<5]), to: list, by: anna)
            #expect(second.code == .partialFailure)
            #expect(second.results.map(\.status) == [.applied, .rejected, .rejected])
            #expect(second.results.map(\.code) == [nil, .quotaExceeded, .quotaExceeded])
            // The first answer again, even if the list is full.
            let again = try await service.upload([adds[0]], to: list, by: anna)
            #expect(again.results.map(\.status) == [.duplicate])
            let off = JournalEntry(id: .random(), operation: .markOff, item: adds[0].item, deviceSequence: 6)
            #expect(try await service.upload([off], to: list, by: anna).results.map(\.status) == [.applied])
        }
    }

    @Test("tidying up has an end as well")
    func tidyingUp() async throws {
        try await TestService.with(configure: { $0.quotas.entriesPerList = 2 }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let add = JournalEntry.add("milk")
            let offs = (2...6).map {
                JournalEntry(
                    id: .random(), operation: $0 % 2 == 0 ? .markOff : .unmark, item: add.item, deviceSequence: $0)
            }
            let answer = try await service.upload([add] + offs, to: list, by: anna)
            #expect(answer.results.map(\.status) == [.applied, .applied, .applied, .applied, .rejected, .rejected])
        }
    }

    @Test("the number of lists that an account owns is limited, however they are created; deleting one makes room")
    func lists() async throws {
        try await TestService.with(connections: 6, configure: { $0.quotas.listsPerAccount = 3 }) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let ids = (0..<8).map { _ in ListID.random() }
            let outcomes = try await withThrowingTaskGroup(of: (ListID, String).self) { group in
                for id in ids {
                    group.addTask {
                        let answer = try await service.call(
                            "POST", Path.lists, token: anna.token, json: #"{"id":"\#(id)"}"#)
                        return (id, try answer.outcome)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(outcomes.values.count { $0 == "201" } == 3)
            #expect(outcomes.values.count { $0 == "413 quotaExceeded" } == 5)
            // Another person's list doesn't count.
            let list = try await service.list(of: ben)
            try await service.add(anna, to: list, of: ben)
            let made = try #require(outcomes.first { $0.value == "201" }?.key)
            #expect(
                try await service.call("POST", Path.lists, token: anna.token, json: #"{"id":"\#(made)"}"#).status == 200
            )
            #expect(try await service.call("DELETE", Path.list(made), token: anna.token).status == 204)
            _ = try await service.list(of: anna)
        }
    }

    @Test("the number of an account's devices is limited; those that were not used for a month make room")
    func devices() async throws {
        try await TestService.with(connections: 6, configure: { $0.quotas.devicesPerAccount = 3 }) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            func signIns(_ count: Int) async throws -> [String] {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<count {
                        group.addTask {
                            try await service.call(
                                "POST", Path.sessions,
                                json: #"{"email":"\#(anna.email)","password":"\#(TestService.password)"}"#
                            ).outcome
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(try await signIns(6).sorted() == ["201", "201"] + Array(repeating: "413 quotaExceeded", count: 4))
            // The first device was unused for the longest time, and one of the others for almost as long.
            _ = try await service.pool.withConnection { connection in
                try await connection.execute(
                    "UPDATE device SET last_seen_at = now() - interval '31 days' WHERE id = \(anna.device)")
                try await connection.execute(
                    """
                    UPDATE device SET last_seen_at = now() - interval '29 days' WHERE id = (
                        SELECT id FROM device WHERE account_id = \(anna.account) AND id <> \(anna.device) LIMIT 1)
                    """)
            }
            #expect(try await signIns(2).sorted() == ["201", "413 quotaExceeded"])
            #expect(try await service.outcome("GET", Path.lists, token: anna.token) == "401 notAuthenticated")
            // Hosted devices have their own limit, and other people theirs.
            #expect(
                try await service.call("POST", "/v1/hosted", token: ben.token, json: #"{"name":"speaker"}"#).status
                    == 201)
            for _ in 0..<2 { _ = try await service.signIn(ben.email) }
        }
    }
}
