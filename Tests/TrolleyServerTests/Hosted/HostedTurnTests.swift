import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("The turns of hosted reads and diagnostics", .timeLimit(.minutes(20)))
struct HostedTurnTests {
    @Test(
        "a read that may be long waits for the account's turn", arguments: ["list", "queue", "to-apply", "diagnostics"])
    func turns(read: String) async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let gate = service.service.store.gate
            try await within {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    try await gate.withTurn(of: anna.account) {
                        group.addTask {
                            if read != "diagnostics" { return try await speaker.get(read).status }
                            return try await service.call("GET", Path.diagnostics, token: anna.token).status
                        }
                        // Without a turn it would be answered now, and this would wait in vain.
                        try await eventually {
                            gate.waiting
                        } until: {
                            $0 > 0
                        }
                    }
                    #expect(try await group.next() == 200)
                }
            }
        }
    }
}
