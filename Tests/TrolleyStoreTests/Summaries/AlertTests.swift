import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Alerts", .timeLimit(.minutes(20)))
struct AlertTests {
    /// Alice's list with Bob on it. Alice wants to be told of everything, in a browser and by a webhook.
    private struct House {
        let test: TestStore
        let (alice, bob): (Session, Session)
        let list: ListID

        init(_ test: TestStore, _ level: NotificationLevel = .all) async throws {
            self.test = test
            (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.store.setNotificationLevel(level, of: list, for: alice.account)
            try await test.store.setNotificationLevel(level, of: list, for: bob.account)
            for session in [alice, bob] {
                try await test.store.subscribe(
                    session, to: "https://push.example.net/\(session.device)",
                    keys: PushKeys(publicKey: Array(repeating: 4, count: 65), secret: Array(repeating: 5, count: 16)),
                    app: "https://lists.example.com", withContent: true, language: "de")
            }
            _ = try await test.store.createWebhook(
                of: alice.account, url: "https://hooks.example.com/", secret: Array(repeating: 6, count: 32),
                withContent: false)
        }

        /// Everything on the list happened that much earlier.
        func pass(seconds: Int) async throws {
            let interval = "interval '\(seconds) seconds'"
            try await test.run(
                """
                UPDATE entry SET made_at = made_at - \(interval), received_at = received_at - \(interval);
                UPDATE presence SET until = until - \(interval);
                UPDATE member SET joined_at = joined_at - \(interval);
                UPDATE list SET summary_due = summary_due - \(interval), alerts_from = alerts_from - \(interval);
                """)
        }

        /// Looks at the due lists once, as each process does twice a second.
        @discardableResult
        func look() async throws -> Set<AccountID> {
            var told: Set<AccountID> = []
            for list in try await test.store.listsWithEndedSessions(limit: 10) {
                told.formUnion(try await test.store.summarize(list.id)?.alerted ?? [])
            }
            return told
        }

        /// What waits to be sent: `browser alert +2 msg 1`.
        func waiting() async throws -> [String] {
            let deliveries = try await test.store.claimDeliveries(DeliveryLane(failing: false, free: 10))
            try await test.run("UPDATE push_delivery SET due_at = now()")
            return deliveries.map { delivery in
                let kind = if case .browser = delivery.target.kind { "browser" } else { "webhook" }
                let counts = delivery.notice.people.map { "+\($0.added) msg \($0.messages)" }.joined(separator: ", ")
                return "\(kind) \(delivery.notice.isAlert == true ? "alert" : "summary") \(counts)"
            }.sorted()
        }

        func say(_ number: Int64) async throws {
            let message = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .message, fields: ["text": "At six?"],
                deviceSequence: number)
            try await test.upload([message], to: list, by: bob)
        }
    }

    private func with(_ level: NotificationLevel = .all, _ body: (House) async throws -> Void) async throws {
        try await TestStore.with(connections: 4) { try await body(House($0, level)) }
    }

    @Test("a message is told within seconds of a session that goes on, once, and not to its author")
    func message() async throws {
        try await with { house in
            _ = try await house.test.store.setPresence(of: house.bob, on: house.list, for: 60_000)
            try await house.say(1)
            try await house.look()
            #expect(try await house.waiting() == [], "it waits for a second")
            try await house.pass(seconds: 1)
            #expect(try await house.look() == [house.alice.account])
            #expect(try await house.look() == [])
            #expect(try await house.waiting() == ["browser alert +0 msg 1", "webhook alert +0 msg 1"])
            #expect(try await house.test.store.summaries(for: house.alice.account).isEmpty, "no summary yet")
            // More comes: the browser shows the newest alone. The webhook gets both.
            try await house.say(2)
            try await house.test.upload([.add("milk", 3)], to: house.list, by: house.bob)
            try await house.pass(seconds: 2)
            #expect(try await house.look() == [], "there is a pause between two alerts")
            try await house.pass(seconds: 10)
            #expect(try await house.look() == [house.alice.account])
            let kinds = try await house.test.pool.withConnection { connection in
                try await connection.execute(
                    """
                    SELECT count(*) FILTER (WHERE push_target.device_id IS NULL), count(*)
                    FROM push_delivery JOIN push_target ON push_target.id = target_id
                    """)[0].decode((Int64, Int64).self)
            }
            #expect(kinds.0 == 2 && kinds.1 == 3)
        }
    }

    @Test("a summary that says no more than the alerts is stored, and sent to webhooks, but makes no second notice")
    func summary() async throws {
        try await with { house in
            try await house.say(1)
            try await house.pass(seconds: 1)
            try await house.look()
            try await house.test.run("DELETE FROM push_delivery")
            try await house.pass(seconds: 120)
            try await house.look()
            #expect(try await house.test.store.summaries(for: house.alice.account).count == 1)
            #expect(try await house.waiting() == ["webhook summary +0 msg 1"])
        }
    }

    @Test("while somebody has the list open they get no alert; what they had not read by leaving is told then")
    func open() async throws {
        try await with { house in
            let store = house.test.store
            _ = try await store.setPresence(of: house.alice, on: house.list, for: 600_000)
            try await house.say(1)
            try await house.pass(seconds: 1)
            #expect(try await house.look() == [])
            _ = try await store.setPresence(of: house.alice, on: house.list, for: nil)
            try await house.pass(seconds: 2)
            #expect(try await house.look() == [house.alice.account])
            try await house.test.run("DELETE FROM push_delivery")
            // The second time she reads it.
            _ = try await store.setPresence(of: house.alice, on: house.list, for: 600_000)
            try await house.say(2)
            let head = try #require(try await store.lists(of: house.alice.account).first).head
            _ = try await store.markRead(house.list, through: head, by: house.alice.account)
            _ = try await store.setPresence(of: house.alice, on: house.list, for: nil)
            try await house.pass(seconds: 20)
            #expect(try await house.look() == [])
            #expect(try await house.waiting() == [])
        }
    }

    @Test(
        "who wants summaries gets no alert, and a list without alerts is not looked at for them",
        arguments: [true, false])
    func levels(changesTheirMind: Bool) async throws {
        try await with(.summaries) { house in
            try await house.say(1)
            try await house.look()
            if changesTheirMind {
                try await house.test.store.setNotificationLevel(.all, of: house.list, for: house.alice.account)
                try await house.say(2)
            }
            try await house.pass(seconds: 2)
            #expect(try await house.look() == (changesTheirMind ? [house.alice.account] : []))
        }
    }
}
