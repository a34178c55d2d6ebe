import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("A hosted device whose person is not on a list any more", .timeLimit(.minutes(20)))
struct HostedRemovalTests {
    @Test("shows nothing of the list, and takes no change to it, also while another process drives the device")
    func hidden() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let speaker = try await service.hosted(of: ben, list: list)
            for read in ["list", "queue", "to-apply"] { #expect(try await speaker.get(read).text.contains("milk")) }
            // Nothing takes the list away from the device.
            try await service.rest()
            _ = try await service.pool.withConnection { connection in
                try await connection.execute(
                    "UPDATE hosted_device SET driver = gen_random_uuid(), driven_until = now() + interval '1 hour'")
            }
            try await service.call("DELETE", Path.share(list), token: anna.token)
            #expect(try await speaker.get("list").outcome == "404 listNotFound")
            for read in ["queue", "to-apply"] { #expect(try await !speaker.get(read).text.contains("milk")) }
            for (change, body) in [("off", #"{"text":"milk"}"#), ("add", #"{"text":"milk"}"#)] {
                #expect(try await speaker.post(change, body).outcome == "404 listNotFound")
            }
        }
    }

    @Test("loses its copy at once, when the owner stops sharing, removes the person or deletes the list")
    func atOnce() async throws {
        // Nothing looks at everything by itself within the test's time.
        try await BackgroundWork.$backstop.withValue(.seconds(3600)) { try await loseAtOnce() }
    }

    private func loseAtOnce() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            var lists: [ListID] = []
            for _ in 0..<3 {
                lists.append(try await service.list(of: anna))
                try await service.add(ben, to: lists[lists.count - 1], of: anna)
            }
            _ = try await service.hosted(of: ben)
            try await service.rest()
            func copies() async throws -> Int {
                try await service.pool.withConnection { connection in
                    try await connection.execute("SELECT count(*) FROM hosted_list")[0].decode(Int.self, at: 0)
                }
            }
            let calls = [Path.share(lists[0]), Path.participant(ben.account, of: lists[1]), Path.list(lists[2])]
            for (index, path) in calls.enumerated() {
                #expect(try await copies() == 3 - index)
                try await service.call("DELETE", path, token: anna.token)
                try await eventually("the copy is gone") { try await copies() == 2 - index }
                try await service.rest()
            }
        }
    }
}
