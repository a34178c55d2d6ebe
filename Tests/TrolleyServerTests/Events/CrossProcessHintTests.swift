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

    private static func request(_ person: Person) -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\r\n"
    }
}
