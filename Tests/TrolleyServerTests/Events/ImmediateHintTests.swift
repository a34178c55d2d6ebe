import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// Hints that a device gets at once, while the service doesn't poll.
@Suite("Hints at once", .timeLimit(.minutes(20)))
struct ImmediateHintTests {
    /// A list of Anna's with Ben on it, and the event streams of Anna's tablet and Ben's phone.
    private struct Household {
        let service: TestService
        let (anna, ben, carol): (Person, Person, Person)
        let list: ListID
        let tablet: Subscription
        let phone: Subscription

        init(_ service: TestService) async throws {
            self.service = service
            (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            carol = try await service.person("carol")
            list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            tablet = try await Self.stream(of: try await service.signIn(anna.email), service)
            phone = try await Self.stream(of: ben, service)
        }

        private static func stream(of person: Person, _ service: TestService) async throws -> Subscription {
            let stream = try await service.service.hub.subscribe(
                Session(account: person.account, device: person.device), lastEventID: nil)
            _ = stream.take()
            return stream
        }

        /// Waits until a stream has the list's newest change.
        func hearsOfTheNewest(_ stream: Subscription) async throws {
            let head = try #require(try await service.service.store.heads(of: [anna.account])[anna.account]?[list])
            try await stream.hears(#"{"list":"\#(list)","sequence":\#(head.sequence.rawValue)}"#)
        }

        func call(_ method: String, _ path: String, as person: Person, _ json: String? = nil) async throws {
            let answer = try await service.call(method, path, token: person.token, body: json.map { Array($0.utf8) })
            try #require((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
        }

        func close() {
            for stream in [tablet, phone] { service.service.hub.unsubscribe(stream) }
        }
    }

    private func with(_ body: (Household) async throws -> Void) async throws {
        try await TestService.with(connections: 4) { service in
            let house = try await Household(service)
            defer { house.close() }
            try await body(house)
        }
    }

    @Test("the people on a list are notified of invitations, joining, declining, leaving and permissions")
    func sharing() async throws {
        try await with { house in
            let (list, anna) = (house.list, house.anna)
            let secret = try await house.service.invite("dan@example.com", to: list, of: anna)
            try await house.hearsOfTheNewest(house.phone)
            #expect(!secret.isEmpty)
            let invitations: InvitationsResponse = try await house.service.call(
                "GET", Path.invitations(list), token: anna.token
            ).decode()
            let dans = try #require(invitations.invitations.first { $0.email == "dan@example.com" })
            try await house.call("DELETE", Path.invitation(dans.id, to: list), as: anna)
            try await house.hearsOfTheNewest(house.phone)
            let carols = try await house.service.invite(house.carol.email, to: list, of: anna)
            try await house.hearsOfTheNewest(house.phone)
            try #require(try await house.service.open(Path.decline, carols, by: house.carol).status == 204)
            try await house.hearsOfTheNewest(house.phone)
            let again = try await house.service.invite(house.carol.email, to: list, of: anna)
            try await house.hearsOfTheNewest(house.phone)
            try #require(try await house.service.open(Path.accept, again, by: house.carol).status == 200)
            try await house.hearsOfTheNewest(house.phone)
            try await house.call(
                "PATCH", Path.participant(house.carol.account, of: list), as: anna, #"{"permission":"readOnly"}"#)
            try await house.hearsOfTheNewest(house.phone)
            try await house.call("DELETE", Path.participant(house.carol.account, of: list), as: house.carol)
            try await house.hearsOfTheNewest(house.phone)
        }
    }

    @Test("a list that is handed over, left, stopped being shared or deleted")
    func going() async throws {
        try await with { house in
            let (list, gone) = (house.list, "event: gone")
            try await house.call("PUT", Path.owner(list), as: house.anna, #"{"account":"\#(house.ben.account)"}"#)
            try await house.hearsOfTheNewest(house.tablet)
            try await house.call("PUT", Path.owner(list), as: house.ben, #"{"account":"\#(house.anna.account)"}"#)
            try await house.hearsOfTheNewest(house.tablet)
            try await house.call("DELETE", Path.list(list), as: house.ben)
            try await house.phone.hears(gone)
            try await house.service.add(house.ben, to: list, of: house.anna)
            try await house.phone.hears("event: changed")
            try await house.call("DELETE", Path.share(list), as: house.anna)
            try await house.phone.hears(gone)
            try await house.call("DELETE", Path.list(list), as: house.anna)
            try await house.tablet.hears(gone)
        }
    }

    @Test("a new list, presence, and read marks of another device")
    func others() async throws {
        try await with { house in
            let new = try await house.service.list(of: house.anna)
            try await house.tablet.hears(#"event: changed"#)
            #expect(new != house.list)
            try await house.call("PUT", Path.presence(house.list), as: house.anna, #"{"present":true}"#)
            try await house.phone.hears("event: presence")
            try await house.call("PUT", Path.presence(house.list), as: house.anna, #"{"present":false}"#)
            try await house.phone.hears("event: presence")
            _ = try await house.service.upload([.add("milk")], to: house.list, by: house.ben)
            try await house.hearsOfTheNewest(house.tablet)
            try await house.call("PUT", Path.read(house.list), as: house.anna, #"{"through":2}"#)
            try await house.tablet.hears("event: presence")
        }
    }

    @Test("where a person keeps a list: their other devices are told, and nobody else")
    func placed() async throws {
        try await with { house in
            try await house.call("PATCH", Path.place(house.list), as: house.anna, #"{"pinned":true}"#)
            try await house.tablet.hears(#"event: placed"#)
            try await house.call("PATCH", Path.place(house.list), as: house.anna, #"{"rank":-5,"archived":true}"#)
            try await house.tablet.hears(#"{"list":"\#(house.list)"}"#)
            let lists: ListsResponse = try await house.service.call("GET", Path.lists, token: house.anna.token).decode()
            #expect(lists.lists.map(\.place) == [ListPlace(pinned: true, archived: true, rank: -5)])
            let bens: ListsResponse = try await house.service.call("GET", Path.lists, token: house.ben.token).decode()
            #expect(bens.lists.map(\.place) == [ListPlace()])
            // Whatever comes first, it is no hint of Anna's places.
            try await house.call("PUT", Path.presence(house.list), as: house.anna, #"{"present":true}"#)
            #expect(try await !house.phone.hears("event: presence").contains("event: placed"))
        }
    }

    @Test("a deleted account's streams end, and the other people on its lists are notified")
    func accountDeletion() async throws {
        try await with { house in
            try await house.call("DELETE", Path.account, as: house.ben, #"{"password":"\#(TestService.password)"}"#)
            #expect(house.phone.isEnded)
            try await house.hearsOfTheNewest(house.tablet)
        }
    }

    @Test("when the database went back, all streams end, so that every device fetches and offers its entries again")
    func wentBack() async throws {
        try await with { house in
            let list = house.list
            _ = try await house.service.upload((1...4).map { .add("x", $0) }, to: list, by: house.anna)
            let token = try await house.service.changes(list, for: house.anna).token
            _ = try await house.service.pool.withConnection { connection in
                try await connection.execute("DELETE FROM entry WHERE list_id = \(list)")
                try await connection.execute("UPDATE list SET head = 2 WHERE id = \(list)")
            }
            #expect(try await house.service.allChanges([list: token], for: house.anna).expired == [list])
            let streams = [house.phone, house.tablet]
            try await eventually {
                streams.map(\.isEnded)
            } until: {
                $0 == [true, true]
            }
        }
    }
}
