import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Comparing streams with the lists' heads", .timeLimit(.minutes(20)))
struct RecheckTests {
    private let session = Session(account: .random(), device: .random())
    private let one = ListID.random()
    private let two = ListID.random()
    private let ben = AccountID.random()

    private func head(_ sequence: Int64, _ present: [AccountID] = [], read: Int64? = nil) -> ListHead {
        ListHead(
            sequence: SequenceNumber(rawValue: sequence),
            presenceFingerprint: ListHead.presenceFingerprint(of: session.account, among: present),
            read: read.map { SequenceNumber(rawValue: $0) })
    }

    @Test("only lists that changed since the last comparison are reported, including new and gone lists")
    func changes() {
        var seen = HeadsSeen()
        let account = AccountID.random()
        #expect(seen.changes(of: account, to: [one: head(1)]) == [one])
        #expect(seen.changes(of: account, to: [one: head(1)]) == [one], "nothing was noted yet")
        seen.note([one: head(1)], of: account)
        #expect(seen.changes(of: account, to: [one: head(1)]) == [])
        #expect(seen.changes(of: account, to: [one: head(2)]) == [one])
        #expect(seen.changes(of: account, to: [one: head(1, [ben])]) == [one])
        #expect(seen.changes(of: account, to: [one: head(1), two: head(0)]) == [two])
        #expect(seen.changes(of: account, to: [:]) == [one])
        seen.dropAll(except: [])
        #expect(seen.changes(of: account, to: [one: head(1)]) == [one])
    }

    @Test("a stream's first comparison is of everything, whatever has changed since the last look")
    func first() {
        let subscription = Subscription(session)
        subscription.begin(at: [one: head(1), two: head(1)], lastEventID: nil)
        _ = subscription.take()
        let heads = [one: head(2)]
        #expect(subscription.outdated(by: heads, changed: []) == [one: SequenceNumber(rawValue: 1)])
        let another = ListAuthor(list: one, device: .random(), newest: SequenceNumber(rawValue: 2))
        subscription.compare(with: heads, changed: [], authors: [another])
        let told = subscription.take()
        #expect(told.contains("event: changed") && told.contains("event: gone"))
        subscription.compare(with: [one: head(3)], changed: [], authors: [])
        #expect(subscription.take() == "", "nothing has changed, as it was told")
    }

    @Test("a list that was reported between two comparisons is compared again, so that no older value stays")
    func touched() {
        let subscription = Subscription(session)
        subscription.begin(at: [one: head(1)], lastEventID: nil)
        subscription.compare(with: [one: head(1)], changed: [one], authors: [])
        _ = subscription.take()
        // Ben joined and left, and this process gets the signals in the other order.
        _ = subscription.note(.presence([]), on: one)
        #expect(subscription.take() == "")
        _ = subscription.note(.presence([ben]), on: one)
        #expect(subscription.take().contains("event: presence"))
        subscription.compare(with: [one: head(1)], changed: [], authors: [])
        #expect(subscription.take().contains("event: presence"))
        subscription.compare(with: [one: head(1)], changed: [], authors: [])
        #expect(subscription.take() == "")
    }

    @Test("who opened a list after the device asked, and before its stream knew the list, is told")
    func presentBefore() {
        let subscription = Subscription(session)
        subscription.begin(at: [one: head(1, [ben]), two: head(1)], lastEventID: nil)
        #expect(subscription.takeHints().hints.filter { $0.name == "presence" }.map(\.list) == [one])
        let (three, four) = (ListID.random(), ListID.random())
        let heads = [one: head(1, [ben]), two: head(1), three: head(1, [ben]), four: head(1)]
        subscription.compare(with: heads, changed: [three, four], authors: [])
        let hints = subscription.takeHints().hints
        #expect(hints.filter { $0.name == "presence" }.map(\.list) == [three])
        #expect(Set(hints.filter { $0.name == "changed" }.map(\.list)) == [three, four])
        subscription.compare(with: heads, changed: [three, four], authors: [])
        #expect(subscription.takeHints().hints.isEmpty)
    }

    @Test("the presence fingerprints of the hub and of the database are equal")
    func company() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            var others: [AccountID] = []
            for name in ["ben", "cem", "dora"] {
                let person = try await service.person(name)
                try await service.add(person, to: list, of: anna)
                _ = try await service.call("PUT", Path.presence(list), token: person.token, json: "{}")
                others.append(person.account)
            }
            let store = Store(pool: service.pool)
            let heads = try await store.heads(of: [anna.account, others[0]])
            #expect(
                heads[anna.account]?[list]?.presenceFingerprint
                    == ListHead.presenceFingerprint(of: anna.account, among: others.reversed()))
            #expect(
                heads[others[0]]?[list]?.presenceFingerprint
                    == ListHead.presenceFingerprint(of: others[0], among: others))
            #expect(ListHead.presenceFingerprint(of: anna.account, among: [anna.account]) == nil)
        }
    }

    @Test("a change of presence or of a read mark concerns only the streams of that list's people")
    func directed() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben, eve) = (
                try await service.person("anna"), try await service.person("ben"), try await service.person("eve")
            )
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let hub = service.service.hub
            var subscriptions: [String: Subscription] = [:]
            for (name, person) in [("anna", anna), ("ben", ben), ("eve", eve)] {
                let session = Session(account: person.account, device: person.device)
                subscriptions[name] = try await hub.subscribe(session, lastEventID: nil)
            }
            defer { for each in subscriptions.values { hub.unsubscribe(each) } }
            let desk = try await service.signIn(anna.email)
            let deskStream = try await hub.subscribe(
                Session(account: desk.account, device: desk.device), lastEventID: nil)
            defer { hub.unsubscribe(deskStream) }
            func take() -> [String: Bool] {
                subscriptions.merging(["desk": deskStream]) { $1 }.mapValues { $0.take().contains("event: presence") }
            }
            // Wait until the check that the share's change requested is over.
            try await service.untilLooked()
            _ = take()
            let rechecks = try await service.rechecks()
            _ = try await service.call("PUT", Path.presence(list), token: anna.token, json: "{}")
            #expect(take() == ["anna": false, "ben": true, "eve": false, "desk": false])
            _ = try await service.call("PUT", Path.read(list), token: anna.token, json: #"{"through":1}"#)
            #expect(take() == ["anna": false, "ben": false, "eve": false, "desk": true])
            #expect(try await service.rechecks() - rechecks <= 1, "at most the one that comes every few seconds")
        }
    }

    @Test("looks take at most a quarter of the time, or come a second apart")
    func pace() {
        #expect(RecheckPacing.pause(after: .milliseconds(2)) == .milliseconds(6))
        #expect(RecheckPacing.pause(after: .seconds(10)) == .seconds(1))
    }
}

extension TestService {
    /// Checks all heads that the service has noted.
    fileprivate func rechecks() async throws -> Int {
        let metrics = try await call("GET", "/metrics").text
        return metrics.firstMatch(of: /trolley_event_looks_total (\d+)/).flatMap { Int($0.1) } ?? 0
    }

    /// Requests a check, and waits for it.
    fileprivate func untilLooked() async throws {
        for _ in 0..<2 {
            let before = try await rechecks()
            service.hub.changed(.everything)
            try await eventually {
                try await rechecks()
            } until: {
                $0 != before
            }
        }
    }
}
