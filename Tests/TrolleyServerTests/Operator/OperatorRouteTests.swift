import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("The operator's page over HTTP", .timeLimit(.minutes(20)))
struct OperatorRouteTests {
    private struct Overview: Decodable {
        struct Size: Decodable {
            let list: ListID
            let bytes, entries, changes, people: Int
        }
        struct Run: Decodable {
            let task: String
            let lists, failed, entries, bytes: Int?
        }
        struct Requests: Decodable {
            struct Minute: Decodable {
                let ago, requests, failed: Int
                let p50, p99: Double
            }
            let connections: Int
            let minutes: [Minute]
        }
        struct Totals: Decodable {
            let accounts, lists: Int
        }
        let migrationsWaiting: [String]
        let findings: [Finding]
        let totals: Totals
        let lists: [Size]
        let runs: [Run]
        let requests: Requests
    }

    @Test("an operator sees how the service does, and nothing that anybody wrote")
    func overview() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (large, small) = (try await service.list(of: ben), try await service.list(of: ben))
            try await service.add(anna, to: large, of: ben)
            _ = try await service.upload([.add("quince"), .add("parsley")], to: large, by: ben)
            let store = service.service.store
            try await store.setOperator(anna.account, true)
            try await store.note(.compressed(lists: 3, failed: 1, entries: 70), took: .milliseconds(20))
            try await store.note(.backedUp(bytes: 12_345), took: .seconds(2))
            let answer = try await service.call("GET", Path.operatorOverview, token: anna.token)
            #expect(answer.status == 200)
            let overview = try JSONDecoder().decode(Overview.self, from: Data(answer.body))
            #expect(overview.totals.accounts == 2 && overview.totals.lists == 2)
            #expect(overview.migrationsWaiting.isEmpty)
            #expect(overview.findings.contains { $0.check == "schema" && $0.verdict == .ok })
            #expect(overview.lists.map(\.list) == [large, small])
            let first = try #require(overview.lists.first)
            #expect(first.entries == 2 && first.people == 2 && first.changes > 2 && first.bytes > 0)
            let backup = try #require(overview.runs.first { $0.task == "backup" })
            #expect(backup.bytes == 12_345 && backup.lists == nil)
            let compression = try #require(overview.runs.first { $0.entries == 70 })
            #expect(compression.lists == 3 && compression.failed == 1)
            let minutes = overview.requests.minutes
            #expect(
                minutes.reduce(0) { $0 + $1.requests } > 5 && minutes.allSatisfy { $0.failed == 0 && $0.p50 <= $0.p99 })
            let log = try await service.call("GET", Path.operatorDiagnostics, token: anna.token)
            #expect(log.status == 200 && log.text.contains(#""operation":{"#) && log.text.contains("\(large)"))
            for text in ["quince", "parsley", "ben@", "anna@", #""ben""#, #""anna""#] {
                #expect(!answer.text.contains(text) && !log.text.contains(text), "\(text)")
            }
        }
    }

    @Test("nobody else sees it, and an account only for as long as the operator says")
    func others() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let store = service.service.store
            try await store.setOperator(anna.account, true)
            for path in [Path.operatorOverview, Path.operatorDiagnostics] {
                #expect(try await service.call("GET", path).outcome == "401 notAuthenticated")
                #expect(try await service.call("GET", path, token: ben.token).outcome == "403 permissionFailure")
                #expect(try await service.call("GET", path, token: anna.token).status == 200)
            }
            func account(of person: Person) async throws -> AccountResponse {
                try await service.call("GET", Path.account, token: person.token).decode()
            }
            #expect(try await account(of: anna).operator == true)
            #expect(try await account(of: ben).operator == nil)
            try await store.setOperator(anna.account, false)
            #expect(
                try await service.call("GET", Path.operatorOverview, token: anna.token).outcome
                    == "403 permissionFailure")
            #expect(try await account(of: anna).operator == nil)
        }
    }

    @Test("the last ten runs of a task are kept")
    func runs() async throws {
        try await TestService.with { service in
            let store = service.service.store
            for bytes in 1...12 { try await store.note(.backedUp(bytes: Int64(bytes)), took: .zero) }
            let kept = try await store.maintenanceRuns().filter { $0.task == .backup }.compactMap(\.bytes)
            #expect(kept == Array((3...12).reversed()))
        }
    }
}
