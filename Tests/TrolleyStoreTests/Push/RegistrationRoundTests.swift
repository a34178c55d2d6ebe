import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Telling registered programs", .timeLimit(.minutes(20)))
struct RegistrationRoundTests {
    private static func entry(_ operation: Operation, _ text: String, _ deviceSequence: Int64) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: operation, fields: ["text": .string(text)],
            deviceSequence: deviceSequence)
    }

    @Test("others' changes are told by one message for a list, which says up to where; a program's own are not")
    func told() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            let phone = try await test.program(of: anna)
            try await test.register(phone, for: list)
            #expect(try await test.tellRegistered().told == 0)
            for number in 1...2 {
                try await test.upload([.add("milk", Int64(number))], to: list, by: anna)
                #expect(try await test.tellRegistered().told == 1)
            }
            #expect(try await test.tellRegistered().told == 0)
            let deliveries = try await test.claimDeliveries()
            #expect(deliveries.count == 1)
            let delivery = try #require(deliveries.first)
            let head = try await test.store.calendarHead(of: list, for: anna.account)
            #expect(delivery.notice.through == head.head && delivery.notice.people.isEmpty)
            #expect(
                delivery.notice.calendar == CalendarUpdate(content: true, properties: false, epoch: head.epoch.high))
            guard case .calendar(let keys, let origin) = delivery.target.kind else {
                Issue.record("it is sent as \(delivery.target.kind)")
                return
            }
            #expect(keys.publicKey.first == 4 && origin == "https://lists.example.com")
            try await test.store.noteDelivered(delivery)

            try await test.upload([.add("eggs", 1)], to: list, by: phone)
            #expect(try await test.tellRegistered().told == 0)
            let through = try await test.head(of: list, for: anna)
            #expect(try await test.rows("push_registration WHERE told_through = \(through.rawValue)") == 1)
            #expect(try await test.rows("push_delivery") == 0)
        }
    }

    @Test("only the named lists are looked at")
    func named() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let (list, other) = (try await test.list(of: anna), try await test.list(of: anna))
            let phone = try await test.program(of: anna)
            for each in [list, other] {
                try await test.register(phone, for: each)
                try await test.upload([.add("milk")], to: each, by: anna)
            }
            let pacing = RegistrationPacing(combining: 0, spacing: 0)
            #expect(try await test.store.tellRegistered(on: [list], pacing).told == 1)
            #expect(try await test.rows("push_delivery WHERE list_id = '\(list)'") == 1)
            #expect(try await test.store.tellRegistered(on: nil, pacing).told == 1)
        }
    }

    @Test("a look at a part of all registrations goes on where the last one has ended")
    func parts() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let phone = try await test.program(of: anna)
            for _ in 0..<3 {
                let list = try await test.list(of: anna)
                try await test.register(phone, for: list)
                try await test.upload([.add("milk")], to: list, by: anna)
            }
            let pacing = RegistrationPacing(combining: 0, spacing: 0)
            let first = try await test.store.tellRegistered(on: nil, atMost: 2, pacing)
            #expect(first.told == 2 && first.next != nil)
            let second = try await test.store.tellRegistered(on: nil, after: first.next, atMost: 2, pacing)
            #expect(second.told == 1 && second.next == nil)
            #expect(try await test.rows("push_delivery") == 3)
        }
    }

    @Test("a renamed list is a changed property, and a message to people is no change of a calendar")
    func properties() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            let (phone, laptop) = (try await test.program(of: anna), try await test.program(of: anna))
            try await test.register(phone, for: list, endpoint: "phone")
            try await test.register(laptop, for: list, endpoint: "laptop", properties: false)
            try await test.upload([Self.entry(.renameList, "Weekly shop", 1)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
            try await test.upload([.add("milk", 2)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 2)
            let updates = try await test.claimDeliveries().sorted { $0.target.url < $1.target.url }
            #expect(updates.map(\.target.url) == ["https://push.example.net/laptop", "https://push.example.net/phone"])
            #expect(
                updates.map { $0.notice.calendar?.properties } == [false, true],
                "the rename isn't forgotten for the message that takes its place")
            try await test.run("DELETE FROM push_delivery")
            try await test.upload([Self.entry(.message, "At six?", 3)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 0)
        }
    }

    @Test("a message comes some time after the change, whatever comes meanwhile, and some time after the one before")
    func pacing() async throws {
        let pacing = RegistrationPacing(combining: 3_600_000, spacing: 7_200_000)
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list, seconds: 86_400)
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await test.tellRegistered(pacing).told == 1)
            let due = "push_delivery WHERE due_at - now() BETWEEN interval"
            #expect(try await test.rows("\(due) '50 min' AND interval '60 min'") == 1)
            try await test.run("UPDATE push_registration SET planned_at = now() + interval '10 min'")
            try await test.upload([.add("eggs", 2)], to: list, by: anna)
            #expect(try await test.tellRegistered(pacing).told == 1)
            #expect(try await test.rows("\(due) '1 min' AND interval '10 min'") == 1)
            // It was sent.
            try await test.run("UPDATE push_registration SET planned_at = now() - interval '1 s'")
            try await test.upload([.add("salt", 3)], to: list, by: anna)
            #expect(try await test.tellRegistered(pacing).told == 1)
            #expect(try await test.rows("\(due) '110 min' AND interval '120 min'") == 1)
            #expect(try await test.rows("push_delivery") == 1)
        }
    }

    @Test("a message that takes the place of one that failed waits as long")
    func failing() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
            let delivery = try #require(try await test.claimDeliveries().first)
            try await test.store.retry(delivery, in: 600_000, after: "status 503", attempts: 20)
            try await test.upload([.add("eggs", 2)], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
            #expect(try await test.rows("push_delivery WHERE id = '\(delivery.id)'") == 0)
            #expect(
                try await test.rows(
                    """
                    push_delivery
                    WHERE due_at > now() + interval '5 min' AND attempts = 1 AND failure = 'status 503'
                    """) == 1)
        }
    }

    // MARK: Holds

    /// Holds all registrations for a list, or one.
    private func hold(
        _ one: RegistrationID? = nil, for list: ListID, by session: Session, _ test: TestStore
    ) async throws -> RegistrationHold? {
        try await test.store.hold(
            registrationsFor: list, isForAll: one == nil, named: Set([one].compactMap(\.self)), by: session)
    }

    @Test("a held registration is told nothing, and after the hold only what others have changed")
    func held() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            let phone = try await test.program(of: anna)
            let registration = try await test.register(phone, for: list)
            #expect(try await hold(registration.id, for: list, by: ben, test) == nil, "it is Anna's")
            #expect(try await hold(for: list, by: phone, test) == nil, "it isn't told of its own changes anyway")

            let first = try await test.head(of: list, for: anna)
            let named = try #require(try await hold(registration.id, for: list, by: anna, test))
            try await test.upload([.add("milk")], to: list, by: anna)
            let round = try await test.tellRegistered()
            #expect(round.told == 0 && round.held == [list])
            try await test.store.release(named, from: first, to: try await test.head(of: list, for: anna))
            #expect(try await test.tellRegistered().told == 0)

            // Something of which it hasn't been told yet comes before.
            try await test.upload([.add("eggs")], to: list, by: ben)
            let second = try await test.head(of: list, for: anna)
            let all = try #require(try await hold(for: list, by: ben, test))
            try await test.upload([.add("salt", 2)], to: list, by: anna)
            try await test.store.release(all, from: second, to: try await test.head(of: list, for: anna))
            let later = try await test.tellRegistered()
            #expect(later.told == 1 && later.held.isEmpty)
        }
    }

    @Test("a hold of one request doesn't end with that of another")
    func holds() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            let first = try #require(try await hold(for: list, by: anna, test))
            let second = try #require(try await hold(for: list, by: anna, test))
            try await test.upload([.add("milk")], to: list, by: anna)
            try await test.store.release(first, from: .start, to: .start)
            #expect(try await test.tellRegistered().held == [list])
            try await test.store.release(second, from: .start, to: .start)
            #expect(try await test.tellRegistered().told == 1)
        }
    }

    // MARK: Summaries

    @Test("programs get no summaries and no alerts, and a summary leaves what they are to be told")
    func summaries() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.register(try await test.program(of: anna), for: list)
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await test.tellRegistered().told == 1)
            let notice = PostgresJSON(try columnJSON(Notice(after: .start, through: .start, people: [])))
            try await test.store.transaction { connection in
                try await connection.execute(DeliverySQL.replace, [list, [anna.account]])
                try await connection.execute(DeliverySQL.insert, [list, [anna.account], [notice], [false]])
            }
            #expect(try await test.rows("push_delivery") == 1)
            #expect(try await test.claimDeliveries().map { $0.notice.calendar != nil } == [true])
            let alerted = try await test.pool.withConnection {
                try await $0.execute(PushSQL.anyTarget, [[anna.account]])
            }
            #expect(alerted.isEmpty)
        }
    }
}
