import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// Two services on one database. Neither polls within the test's time.
@Suite("Hints between processes", .timeLimit(.minutes(20)))
struct CrossProcessHintTests {
    @Test("a device is notified at once of each change at another process")
    func changes() async throws {
        try await TestService.withTwo { one, other in
            let (anna, ben) = (try await one.person("anna"), try await one.person("ben"))
            let list = try await one.list(of: anna)
            try await one.add(ben, to: list, of: anna)
            try await within {
                try await RawConnection.with(port: other.port) { reader, writer in
                    try await writer.write(Self.request(ben))
                    _ = try await reader.read(until: "event: sync")
                    // The first changes may be found by the check that follows when a process begins to listen.
                    for number in 1...4 {
                        let response = try await one.upload([.add("item", Int64(number))], to: list, by: anna)
                        let sequence = try #require(response.results.first?.sequence?.rawValue)
                        let hint = #"data: {"list":"\#(list)","sequence":\#(sequence)}"#
                        #expect(try await reader.read(until: hint).contains(hint))
                    }
                    try await one.call("DELETE", Path.participant(ben.account, of: list), token: anna.token)
                    #expect(try await reader.read(until: "event: gone").contains("event: gone"))
                }
            }
        }
    }

    @Test("a stream ends at once when its device is signed out at another process")
    func signedOut() async throws {
        try await TestService.withTwo { one, other in
            let anna = try await one.person("anna")
            let list = try await one.list(of: anna)
            let tablet = try await one.signIn(anna.email)
            try await within {
                try await RawConnection.with(port: other.port) { reader, writer in
                    try await writer.write(Self.request(anna))
                    _ = try await reader.read(until: "event: sync")
                    // From now on the other process listens.
                    for number in 1...2 {
                        let response = try await one.upload([.add("item", Int64(number))], to: list, by: tablet)
                        let sequence = try #require(response.results.first?.sequence?.rawValue)
                        _ = try await reader.read(until: #""sequence":\#(sequence)}"#)
                    }
                    try await one.call("DELETE", Path.session, token: anna.token)
                    #expect(try await reader.read(until: "\r\n0\r\n\r\n").hasSuffix("0\r\n\r\n"))
                }
            }
        }
    }

    @Test("of a change at another process only that list's people are asked for, and who was removed hears nothing")
    func directed() async throws {
        try await TestService.withTwo { one, other in
            let (anna, ben, eve) = (
                try await one.person("anna"), try await one.person("ben"), try await one.person("eve")
            )
            let list = try await one.list(of: anna)
            for person in [ben, eve] { try await one.add(person, to: list, of: anna) }
            let hub = other.service.hub
            func stream(_ person: Person) async throws -> Subscription {
                try await hub.subscribe(Session(account: person.account, device: person.device), lastEventID: nil)
            }
            let (bens, eves) = (try await stream(ben), try await stream(eve))
            defer { for each in [bens, eves] { hub.unsubscribe(each) } }
            /// Uploads at one process, and waits until Ben's stream at the other one has heard of it.
            @Sendable func upload(_ number: Int64) async throws {
                let response = try await one.upload([.add("item", number)], to: list, by: anna)
                let sequence = try #require(response.results.first?.sequence?.rawValue)
                try await bens.hears(#""sequence":\#(sequence)}"#)
            }
            // From the second one on, the other process listens, and has compared everything.
            for number in 1...2 { try await upload(Int64(number)) }
            _ = eves.take()
            // As by a removal that no signal has told yet.
            try await one.pool.withConnection { connection in
                _ = try await connection.execute("DELETE FROM member WHERE account_id = \(eve.account)")
            }
            _ = other.pool.takeStatementTimes()
            try await within { try await upload(3) }
            let asked = Set(other.pool.takeStatementTimes().map(\.name))
            #expect(asked.contains("head_people") && !asked.contains("head_of_accounts"), "\(asked)")
            #expect(!eves.take().contains("event: changed"))
        }
    }

    @Test("who opened, read, shared or left a list at another process is told at once")
    func others() async throws {
        try await TestService.withTwo { one, other in
            let (anna, ben, carol) = (
                try await one.person("anna"), try await one.person("ben"), try await one.person("carol")
            )
            let list = try await one.list(of: anna)
            try await one.add(ben, to: list, of: anna)
            _ = try await one.upload([.add("milk")], to: list, by: anna)
            let desk = try await one.signIn(ben.email)
            let hub = other.service.hub
            let stream = try await hub.subscribe(
                Session(account: ben.account, device: ben.device), lastEventID: nil)
            defer { hub.unsubscribe(stream) }
            func hears(_ text: String, _ body: () async throws -> some Any) async throws {
                _ = try await body()
                try await stream.hears(text)
            }
            try await hears("event: presence") {
                try await one.call("PUT", Path.presence(list), token: anna.token, json: "{}")
            }
            try await hears("event: presence") {
                try await one.call("PUT", Path.read(list), token: desk.token, json: #"{"through":1}"#)
            }
            try await hears("event: changed") { try await one.add(carol, to: list, of: anna) }
            let second = try await one.list(of: carol)
            try await hears(#""list":"\#(second)""#) { try await one.add(ben, to: second, of: carol) }
            try await hears("event: gone") { try await one.call("DELETE", Path.list(second), token: carol.token) }
            try await hears("event: gone") {
                try await one.call("DELETE", Path.participant(ben.account, of: list), token: ben.token)
            }
        }
    }

    private static func request(_ person: Person) -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\r\n"
    }
}
