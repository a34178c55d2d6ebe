import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("A hot list", .timeLimit(.minutes(20)))
struct HotListTests {
    @Test("a request that can't get a list's lock must retry, and other lists are not delayed")
    func busy() async throws {
        try await withTestDatabase(TestService.migrated) { url in
            var configuration = try Store.configuration(url).holdingLocks()
            configuration.sessionSettings["lock_timeout"] = "1s"
            var options = Pool.Options()
            options.maximumConnections = 5
            options.acquireTimeout = .seconds(120)
            try await TestService.with(Pool(configuration, options: options)) { try await expectBusy($0) }
        }
    }

    private func expectBusy(_ service: TestService) async throws {
        let anna = try await service.person("anna")
        let (hot, cool) = (try await service.list(of: anna), try await service.list(of: anna))
        try await service.pool.withTransaction { connection in
            try await connection.execute("SELECT FROM list WHERE id = \(hot) FOR UPDATE")
            // More uploads than connections.
            async let outcomes = withThrowingTaskGroup(of: String.self) { group in
                for number in 1...20 {
                    group.addTask {
                        let upload = UploadRequest(
                            entries: [UploadEntry(entry: .add("x", Int64(number)), age: 0)])
                        return try await service.call(
                            "POST", Path.entries(hot), token: anna.token, body: upload.json
                        ).outcome
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            try await connection.untilSomebodyWaits()
            let answer = try await service.upload([.add("milk")], to: cool, by: anna)
            #expect(answer.results.map(\.status) == [.applied])
            let seen = try await outcomes
            #expect(seen == ["503 zoneBusy"])
        }
        _ = try await service.upload([.add("milk", 30)], to: hot, by: anna)
    }
}
