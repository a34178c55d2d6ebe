import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Presence over HTTP", .timeLimit(.minutes(20)))
struct PresenceRouteTests {
    @Test("other people are notified of presence, also those whom another process serves")
    func hints() async throws {
        try await TestService.with(connections: 4) { one in
            let (anna, ben) = (try await one.person("anna"), try await one.person("ben"))
            let list = try await one.list(of: anna)
            try await one.add(ben, to: list, of: anna)
            var options = Pool.Options()
            options.acquireTimeout = .seconds(120)
            let pool = Pool(one.pool.configuration, options: options)
            // The other process gets no signal; it polls.
            try await TestService.with(pool, configure: { $0.pollInterval = .milliseconds(200) }) { two in
                try await RawConnection.with(port: two.port) { reader, writer in
                    try await writer.write(Self.events(ben))
                    _ = try await reader.read(until: "event: sync")
                    let answer = try await one.call("PUT", Path.presence(list), token: anna.token, json: "{}")
                    let presence: PresenceResponse = try answer.decode()
                    #expect(presence.presence.map(\.account) == [anna.account] && presence.renewAfter == 30_000)
                    let heard = try await reader.read(until: #"data: {"list":"\#(list)"}"#)
                    #expect(heard.contains("event: presence"))
                    let share: ShareResponse = try await two.call("GET", Path.share(list), token: ben.token).decode()
                    #expect(share.presence?.map(\.account) == [anna.account])
                }
            }
        }
    }

    @Test("a read mark is sent to the account's other devices, and all of them have it")
    func readMarks() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk"), .add("bread", 2)], to: list, by: anna)
            let desk = try await service.signIn(anna.email)
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(Self.events(desk))
                _ = try await reader.read(until: "event: sync")
                let answer = try await service.call(
                    "PUT", Path.read(list), token: anna.token, json: #"{"through":2}"#)
                #expect(try answer.decode(ReadPosition.self).through.rawValue == 2)
                _ = try await reader.read(until: "event: presence")
            }
            let lists: ListsResponse = try await service.call("GET", Path.lists, token: desk.token).decode()
            #expect(lists.lists.map(\.readThrough?.rawValue) == [2])
        }
    }

    @Test("the device that set a read mark isn't notified of it")
    func ownReadMark() {
        let list = ListID.random()
        let mark = SequenceNumber(rawValue: 2)
        let subscription = Subscription(Session(account: .random(), device: .random()))
        subscription.begin(at: [list: ListHead(sequence: mark)], lastEventID: nil)
        _ = subscription.take()
        _ = subscription.note(.read(through: mark, isOwn: true), on: list)
        subscription.compare(with: [list: ListHead(sequence: mark, read: mark)], changed: [list], authors: [])
        #expect(subscription.take() == "")
        subscription.compare(
            with: [list: ListHead(sequence: mark, presenceFingerprint: "ben", read: mark)], changed: [list], authors: []
        )
        #expect(subscription.take().contains("event: presence"))
    }

    @Test("a removed person gets no more events of the list, even from a process that doesn't know of the removal yet")
    func removed() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let hub = service.service.hub
            let subscription = try await hub.subscribe(
                Session(account: ben.account, device: ben.device), lastEventID: nil)
            defer { hub.unsubscribe(subscription) }
            _ = subscription.take()
            // Another process does this, and the hub gets no signal.
            let store = Store(pool: service.pool)
            try await store.removeParticipant(ben.account, from: list, by: anna.account)
            _ = try await service.upload([.add("a secret")], to: list, by: anna)
            #expect(!subscription.take().contains("event: changed"))
        }
    }

    private static func events(_ person: Person) -> String {
        "GET \(Path.events) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(person.token)\r\n\r\n"
    }
}
