import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Summaries over HTTP", .timeLimit(.minutes(20)))
struct SummaryRouteTests {
    /// A list of Anna's with Ben on it.
    private func household(_ service: TestService) async throws -> (anna: Person, ben: Person, list: ListID) {
        let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
        let list = try await service.list(of: anna)
        try await service.add(ben, to: list, of: anna)
        return (anna, ben, list)
    }

    /// A session of two added items.
    private func visit(_ list: ListID, by person: Person, from: Int64 = 1, at service: TestService) async throws {
        try await service.setPresence(true, on: list, by: person)
        _ = try await service.upload([.add("milk", from), .add("eggs", from + 1)], to: list, by: person)
        try await service.setPresence(false, on: list, by: person)
    }

    @Test("a summary follows a session's end, not its silence, once, whichever process serves whom")
    func twoProcesses() async throws {
        try await TestService.withTwo { one, other in
            let (anna, ben, list) = try await household(one)
            try await other.listening(as: ben) { stream in
                for round in 0..<3 {
                    try await visit(list, by: anna, from: Int64(1 + 2 * round), at: one)
                    try await stream.hears("event: summary")
                    // Sleeps: nothing more may come, though each process has looked several times.
                    try await Task.sleep(for: .milliseconds(round == 2 ? 1500 : 100))
                    let summaries = try await other.summaries(for: ben)
                    #expect(summaries.count == round + 1)
                    #expect(summaries.first?.people.map(\.added) == [2])
                    #expect(summaries.first?.people.first?.name == "anna")
                    #expect(try await one.summaries(for: ben) == summaries)
                    #expect(!stream.take().contains("event: summary"), "once")
                }
                #expect(try await one.summaries(for: anna) == [], "they are her own changes")
            }
        }
    }

    @Test("somebody who leaves is seen to leave at once, at another process, too, though it asks only once an hour")
    func leaving() async throws {
        try await TestService.withTwo { one, other in
            let (anna, ben, list) = try await household(one)
            try await other.listening(as: ben) { stream in
                for _ in 0..<3 {
                    try await one.setPresence(true, on: list, by: anna)
                    try await stream.hears("event: presence")
                    #expect(try await other.present(on: list, seenBy: ben) == [anna.account])
                    try await one.setPresence(false, on: list, by: anna)
                    try await stream.hears("event: presence")
                    #expect(try await other.present(on: list, seenBy: ben) == [])
                }
            }
        }
    }

    @Test("heads that were read before a summary don't announce it again")
    func olderHeads() {
        let list = ListID.random()
        let (head, summarized) = (SequenceNumber(rawValue: 5), SequenceNumber(rawValue: 5))
        let subscription = Subscription(Session(account: .random(), device: .random()))
        subscription.begin(at: [list: ListHead(sequence: head)], lastEventID: nil)
        _ = subscription.take()
        _ = subscription.note(.summarized(through: summarized), on: list)
        #expect(subscription.take().contains("event: summary"))
        for seen in [nil, summarized] {
            subscription.compare(
                with: [list: ListHead(sequence: head, summarized: seen)], changed: [list], authors: [])
            #expect(subscription.take() == "")
        }
        subscription.compare(
            with: [list: ListHead(sequence: head, summarized: SequenceNumber(rawValue: 6))], changed: [list],
            authors: [])
        #expect(subscription.take().contains("event: summary"))
    }

    @Test("a lease that is renewed goes on, and one that isn't ends by itself")
    func leases() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben, list) = try await household(service)
            func announce(for lease: Int) async throws -> PresenceResponse {
                try await service.call(
                    "PUT", Path.presence(list), token: anna.token, json: #"{"lease":\#(lease)}"#
                ).decode()
            }
            // Renewed for more than twice as long as one lease. The time passes in the database.
            for _ in 0..<4 {
                #expect(try await announce(for: 600_000).renewAfter == 300_000)
                #expect(try await service.present(on: list, seenBy: ben) == [anna.account])
                try await service.pool.withConnection { connection in
                    _ = try await connection.execute("UPDATE presence SET until = until - interval '400 seconds'")
                }
            }
            #expect(try await service.present(on: list, seenBy: ben) == [anna.account])
            #expect(try await announce(for: 1000).renewAfter == 500)
            try await eventually {
                try await service.present(on: list, seenBy: ben)
            } until: {
                $0 == []
            }
        }
    }

    @Test("a lease of the future is refused, and a device can't say until when it is present")
    func leasesOfTheFuture() async throws {
        try await TestService.with { service in
            let (anna, ben, list) = try await household(service)
            for lease in ["600001", "999", "0", "-1", "9223372036854775807", "1e300", #""long""#] {
                let answer = try await service.call(
                    "PUT", Path.presence(list), token: anna.token, json: #"{"lease":\#(lease)}"#)
                #expect(try answer.outcome == "400 invalidArguments", "\(lease)")
            }
            #expect(try await service.present(on: list, seenBy: ben) == [])
            let forged = #"{"lease":600000,"until":"2099-01-01T00:00:00.000Z"}"#
            let before = Timestamp.now
            let answer = try await service.call("PUT", Path.presence(list), token: anna.token, json: forged)
            let until = try #require(try answer.decode(PresenceResponse.self).presence.first?.until)
            #expect(until <= Timestamp.now.advanced(byMilliseconds: 600_000))
            #expect(until >= before.advanced(byMilliseconds: 599_000))
        }
    }

    @Test("a read mark of the future is refused, and moves nothing")
    func readMarkOfTheFuture() async throws {
        try await TestService.with { service in
            let (anna, _, list) = try await household(service)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let head = try await service.changes(list, for: anna).sequences.max() ?? 0
            for mark in ["\(head + 1)", "9223372036854775807", "-1"] {
                let answer = try await service.call(
                    "PUT", Path.read(list), token: anna.token, json: #"{"through":\#(mark)}"#)
                #expect(try answer.outcome == "400 invalidArguments", "\(mark)")
            }
            let lists: ListsResponse = try await service.call("GET", Path.lists, token: anna.token).decode()
            #expect(lists.lists.map(\.readThrough) == [nil])
            let answer = try await service.call(
                "PUT", Path.read(list), token: anna.token, json: #"{"through":\#(head)}"#)
            #expect(answer.status == 200)
        }
    }

    @Test("all devices of a person get the same summary, and reading on one takes it away on the others")
    func oncePerPerson() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben, list) = try await household(service)
            let tablet = try await service.signIn(ben.email)
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.events(tablet))
                _ = try await reader.read(until: "event: sync")
                try await visit(list, by: anna, at: service)
                let heard = try await reader.read(until: "event: summary")
                #expect(heard.contains("event: summary"))
            }
            let summaries = try await service.summaries(for: ben)
            #expect(summaries.count == 1)
            #expect(try await service.summaries(for: tablet) == summaries)
            let through = try #require(summaries.first?.through.rawValue)
            try await service.call("PUT", Path.read(list), token: tablet.token, json: #"{"through":\#(through)}"#)
            #expect(try await service.summaries(for: ben) == [])
        }
    }

    @Test("what a person wants to be told is set for one list, and read on all devices")
    func levels() async throws {
        try await TestService.with(connections: 4) { service in
            let (_, ben, list) = try await household(service)
            let path = Path.notifications(list)
            #expect(try await service.call("GET", path, token: ben.token).text == #"{"level":"summaries"}"#)
            for level in ["all", "nothing", "summaries"] {
                let answer = try await service.call("PUT", path, token: ben.token, json: #"{"level":"\#(level)"}"#)
                #expect(answer.text == #"{"level":"\#(level)"}"#)
                let tablet = try await service.signIn(ben.email)
                #expect(try await service.call("GET", path, token: tablet.token).text == answer.text)
            }
            for wrong in [#"{"level":"much"}"#, "{}", #"{"level":1}"#] {
                let answer = try await service.call("PUT", path, token: ben.token, json: wrong)
                #expect(try answer.outcome == "400 invalidArguments")
            }
        }
    }

    @Test("a hosted device gets a summary with its queue until it acknowledges it or the person has read on")
    func hosted() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben, list) = try await household(service)
            let speaker = try await service.hosted(of: ben, list: list)
            try await visit(list, by: anna, at: service)
            var toApply = try await speaker.get("to-apply")
            try await within { [toApply] in
                var latest = toApply
                while !latest.text.contains(#""added":2"#) { latest = try await speaker.get("to-apply") }
            }
            toApply = try await speaker.get("to-apply")
            #expect(toApply.text.contains(#""summaries":[{"list":"\#(list)""#))
            #expect(try await speaker.get("to-apply").text.contains(#""added":2"#), "until it is acknowledged")
            let through = try #require(try await service.summaries(for: ben).first?.through.rawValue)
            func acknowledge(_ through: Int64) async throws {
                let body = #"{"entries":[],"summaries":[{"list":"\#(list)","through":\#(through)}]}"#
                #expect(try await speaker.post("acknowledge", body).text == #"{"acknowledged":0}"#)
            }
            try await acknowledge(through - 1)
            #expect(try await speaker.get("to-apply").text.contains(#""added":2"#))
            let negative = #"{"entries":[],"summaries":[{"list":"\#(list)","through":-1}]}"#
            #expect(try await speaker.post("acknowledge", negative).text.contains("must not be negative"))
            try await acknowledge(through)
            try await acknowledge(through - 1)
            #expect(try await !speaker.get("to-apply").text.contains("summaries"))
            #expect(try await service.summaries(for: ben).count == 1, "the person has not seen it")
        }
    }

    @Test("a change is on somebody's device when the device fetches again, and seen when the read mark says so")
    func ticks() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben, list) = try await household(service)
            func received() async throws -> Int64? {
                let share: ShareResponse = try await service.call("GET", Path.share(list), token: anna.token).decode()
                return share.received?.first { $0.account == ben.account }?.through.rawValue
            }
            #expect(try await received() == nil)
            var answer = try await service.allChanges([:], for: ben)
            var tokens = Dictionary(answer.lists.map { ($0.id, $0.page.token) }) { first, _ in first }
            #expect(try await received() == nil, "the answer may have been lost")
            _ = try await service.allChanges(tokens, for: ben)
            let head = try await service.changes(list, for: anna).sequences.max() ?? 0
            #expect(try await received() == head)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            answer = try await service.allChanges(tokens, for: ben)
            #expect(try await received() == head)
            tokens = Dictionary(answer.lists.map { ($0.id, $0.page.token) }) { first, _ in first }
            _ = try await service.allChanges(tokens, for: ben)
            #expect(try await received() == head + 1)
            // Reading on another device, which never fetched all lists, implies receiving.
            _ = try await service.upload([.add("eggs", 2)], to: list, by: anna)
            let tablet = try await service.signIn(ben.email)
            try await service.call("PUT", Path.read(list), token: tablet.token, json: #"{"through":\#(head + 2)}"#)
            #expect(try await received() == head + 2)
        }
    }

    private static func events(_ person: Person) -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\r\n"
    }
}

extension TestService {
    /// Runs `body` with a stream of the person's, which has begun.
    fileprivate func listening(as person: Person, _ body: (Subscription) async throws -> Void) async throws {
        let stream = try await service.hub.subscribe(
            Session(account: person.account, device: person.device), lastEventID: nil)
        defer { service.hub.unsubscribe(stream) }
        _ = stream.take()
        try await body(stream)
    }

    fileprivate func setPresence(_ isPresent: Bool, on list: ListID, by person: Person) async throws {
        let answer = try await call(
            "PUT", Path.presence(list), token: person.token, json: #"{"present":\#(isPresent)}"#)
        try #require(answer.status == 200, "\(answer.text)")
    }

    fileprivate func present(on list: ListID, seenBy person: Person) async throws -> [AccountID]? {
        let share: ShareResponse = try await call("GET", Path.share(list), token: person.token).decode()
        return share.presence?.map(\.account)
    }

    fileprivate func summaries(for person: Person) async throws -> [SessionSummary] {
        try await call("GET", Path.summaries, token: person.token).decode(SummariesResponse.self).summaries
    }
}
