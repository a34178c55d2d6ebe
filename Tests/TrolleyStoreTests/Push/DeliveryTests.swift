import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("The outbox", .timeLimit(.minutes(20)))
struct DeliveryTests {
    private func subscribe(_ session: Session, _ test: TestStore) async throws {
        try await test.store.subscribe(
            session, to: "https://push.example.net/\(session.device)",
            keys: PushKeys(publicKey: Array(repeating: 4, count: 65), secret: Array(repeating: 5, count: 16)),
            app: "https://lists.example.com", withContent: false)
    }

    private func webhook(_ session: Session, _ test: TestStore) async throws -> WebhookResponse {
        try await test.store.createWebhook(
            of: session.account, url: "https://hooks.example.com/", secret: Array(repeating: 6, count: 32),
            withContent: false)
    }

    /// A notice for some people, as the commit of a summary writes it.
    private func notice(_ list: ListID, for people: [Session], _ test: TestStore) async throws {
        let content = PostgresJSON(
            try columnJSON(Notice(after: .start, through: SequenceNumber(rawValue: 3), people: [])))
        let accounts = people.map(\.account)
        let (contents, known) = (people.map { _ in content }, people.map { _ in false })
        try await test.store.transaction { connection in
            try await connection.execute(DeliverySQL.replace, [list, accounts])
            try await connection.execute(DeliverySQL.insert, [list, accounts, contents, known])
        }
    }

    private func count(_ test: TestStore, where condition: String = "true") async throws -> Int64 {
        let rows = try await test.pool.withConnection {
            try await $0.execute(Query(unescaped: "SELECT count(*) FROM push_delivery WHERE \(condition)"))
        }
        return try rows[0].decode(at: 0)
    }

    @Test("a claimed delivery isn't claimed again before its lease ends, and each target has one at a time")
    func claims() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            _ = try await webhook(anna, test)
            _ = try await webhook(ben, test)
            for _ in 0..<2 { try await notice(list, for: [anna, ben], test) }
            let lane = DeliveryLane(failing: false, free: 10)
            let first = try await test.store.claimDeliveries(lane)
            #expect(Set(first.map(\.target.account)) == [anna.account, ben.account])
            #expect(first.count == 2 && first.allSatisfy { $0.attempt == 1 })
            let second = try await test.store.claimDeliveries(
                DeliveryLane(failing: false, free: 10, busyTargets: first.map(\.target.id)))
            #expect(second.isEmpty)
            let third = try await test.store.claimDeliveries(
                DeliveryLane(
                    failing: false, free: 10,
                    busyAccounts: Array(repeating: anna.account, count: PushLimits.parallelPerAccount)))
            #expect(third.map(\.target.account) == [ben.account])
            for delivery in first { try await test.store.noteDelivered(delivery) }
            let fourth = try await test.store.claimDeliveries(lane)
            #expect(fourth.map(\.target.account) == [anna.account])
            #expect(try await test.store.claimDeliveries(lane).isEmpty)
            #expect(try await count(test) == 2)
        }
    }

    @Test("a delivery that can't be read becomes a dead letter, and its target's next one and the others are claimed")
    func unreadable() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            _ = try await webhook(anna, test)
            _ = try await webhook(ben, test)
            try await notice(list, for: [anna, ben], test)
            try await test.run(
                "UPDATE push_delivery SET content = '{\"people\":\"marzipan\"}' WHERE account_id = '\(anna.account)'")
            let lane = DeliveryLane(failing: false, free: 10)
            var told: [String] = []
            let claimed = try await test.store.claimDeliveries(lane) { delivery, error in
                told.append("\(delivery) \(error)")
            }
            #expect(claimed.map(\.target.account) == [ben.account])
            let letters = try await test.store.deadLetters(account: nil, list: nil, limit: 10)
            #expect(letters.map(\.account) == [anna.account] && letters.map(\.failure) == ["unreadable"])
            let id = try #require(letters.first).id
            #expect(told.count == 1 && told[0].hasPrefix("\(id) ") && !told[0].contains("marzipan"), "\(told)")
            try await notice(list, for: [anna], test)
            #expect(try await test.store.claimDeliveries(lane).map(\.target.account) == [anna.account])
        }
    }

    @Test("what fails waits in a lane of its own until it succeeds, and is given up after its last attempt")
    func failing() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            _ = try await webhook(anna, test)
            try await notice(list, for: [anna], test)
            let (well, failing) = (DeliveryLane(failing: false, free: 1), DeliveryLane(failing: true, free: 1))
            let first = try #require(try await test.store.claimDeliveries(well).first)
            #expect(try await !test.store.retry(first, in: 0, after: "status 500", attempts: 2))
            #expect(try await test.store.claimDeliveries(well).isEmpty)
            let second = try #require(try await test.store.claimDeliveries(failing).first)
            #expect(second.id == first.id && second.attempt == 2)
            #expect(try await !test.store.retry(first, in: 0, after: "late", attempts: 2), "it has another attempt")
            #expect(try await test.store.retry(second, in: 0, after: "status 503", attempts: 2))
            let letters = try await test.store.deadLetters(account: anna.account, list: nil, limit: 10)
            #expect(letters.map(\.failure) == ["status 503"])
            #expect(letters.map(\.host) == ["hooks.example.com"])
            #expect(letters.map(\.attempts) == [2])
        }
    }

    @Test("a browser has one waiting notice for a list, a webhook all of them, up to a hundred")
    func bounded() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let (list, other) = (try await test.list(of: anna), try await test.list(of: anna))
            try await subscribe(anna, test)
            for _ in 0..<3 { try await notice(list, for: [anna], test) }
            try await notice(other, for: [anna], test)
            #expect(try await count(test) == 2)
            _ = try await webhook(anna, test)
            for _ in 0..<101 { try await notice(list, for: [anna], test) }
            #expect(try await count(test) == 103)
            try await test.store.trimDeliveries(of: [anna.account])
            #expect(try await count(test) == 102)
        }
    }

    @Test("what has expired becomes a dead letter, which goes after a week")
    func expiry() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            _ = try await webhook(anna, test)
            try await notice(list, for: [anna], test)
            try await test.store.deleteExpired()
            #expect(try await count(test, where: "dead_at IS NULL") == 1)
            try await test.run("UPDATE push_delivery SET expires_at = now()")
            try await test.store.deleteExpired()
            #expect(try await count(test, where: "dead_at IS NOT NULL AND failure = 'expired'") == 1)
            try await test.run("UPDATE push_delivery SET dead_at = now() - interval '8 days'")
            try await test.store.deleteExpired()
            #expect(try await count(test) == 0)
        }
    }

    @Test("nothing is sent to somebody who is no longer on the list, or to a list that has ended")
    func removal() async throws {
        try await TestStore.with { test in
            let (anna, ben, cleo) = (
                try await test.person("anna"), try await test.person("ben"), try await test.person("cleo")
            )
            let list = try await test.list(of: anna)
            for person in [ben, cleo] { try await test.add(person, to: list, of: anna) }
            for person in [anna, ben, cleo] { _ = try await webhook(person, test) }
            try await notice(list, for: [anna, ben, cleo], test)
            try await test.store.removeParticipant(ben.account, from: list, by: anna.account)
            #expect(try await count(test, where: "account_id = '\(ben.account)'") == 0)
            #expect(try await count(test) == 2)
            try await test.store.stopSharing(list, by: anna.account)
            #expect(try await count(test, where: "account_id = '\(anna.account)'") == 1)
            #expect(try await count(test) == 1)
            try await test.store.deleteList(list, by: anna.account)
            #expect(try await count(test) == 0)
        }
    }

    @Test("signing out ends a subscription, and an account takes all of its own with it")
    func sessions() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await subscribe(anna, test)
            try await subscribe(ben, test)
            _ = try await webhook(ben, test)
            try await notice(list, for: [anna, ben], test)
            #expect(try await count(test) == 3)
            try await test.store.signOut(device: anna.device, account: anna.account)
            #expect(try await count(test) == 2)
            try await test.store.deleteAccount(ben.account)
            #expect(try await count(test) == 0)
        }
    }

    @Test("a device that was signed out and whose subscription is still there gets nothing")
    func withoutSession() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await subscribe(anna, test)
            try await test.run("UPDATE device SET token_hash = NULL")
            try await notice(list, for: [anna], test)
            #expect(try await count(test) == 0)
        }
    }
}
