import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// A list on which nobody gets alerts any more costs what it did before.
@Suite("The end of alerts", .timeLimit(.minutes(20)))
struct AlertEndTests {
    /// How the last person who gets alerts stops to get them.
    enum End: CaseIterable {
        case level, leaving, removal, accountDeletion, subscription
    }

    /// Alice's list with Bob and Carol. Only Bob wants to be told of everything.
    private struct House: Sendable {
        let test: TestStore
        let (alice, bob, carol): (Session, Session, Session)
        let list: ListID

        init(_ test: TestStore) async throws {
            self.test = test
            (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
            carol = try await test.person("carol")
            list = try await test.list(of: alice)
            for person in [bob, carol] { try await test.add(person, to: list, of: alice) }
            try await subscribe()
            try await test.store.setNotificationLevel(.all, of: list, for: bob.account)
        }

        func subscribe() async throws {
            try await test.store.subscribe(
                bob, to: "https://push.example.net/bob",
                keys: PushKeys(publicKey: Array(repeating: 4, count: 65), secret: Array(repeating: 5, count: 16)),
                app: "https://lists.example.com", withContent: false)
        }

        func end(_ end: End) async throws {
            let store = test.store
            switch end {
            case .level: try await store.setNotificationLevel(.summaries, of: list, for: bob.account)
            case .leaving: try await store.removeParticipant(bob.account, from: list, by: bob.account)
            case .removal: try await store.removeParticipant(bob.account, from: list, by: alice.account)
            case .accountDeletion: try await store.deleteAccount(bob.account)
            case .subscription: try await store.endSubscription(of: bob)
            }
        }

        /// Appends an item, and looks at the list if it is due.
        /// - Returns: whether it was.
        func append(_ number: Int64) async throws -> Bool {
            // Where a step took more than a second, an alert was sent, and the next look would wait for the pause after it.
            try await test.run("UPDATE list SET alerts_from = now() WHERE alerts_from > now()")
            try await test.upload([.add("milk", number)], to: list, by: alice)
            let due = try await test.store.listsWithEndedSessions(limit: 10)
            for each in due { _ = try await test.store.summarize(each.id) }
            return !due.isEmpty
        }

        var plansAlerts: Bool {
            get async throws {
                try await test.pool.withConnection { connection in
                    try await connection.execute("SELECT alerts_from IS NOT NULL FROM list WHERE id = \(list)")[0]
                        .decode(Bool.self, at: 0)
                }
            }
        }
    }

    private func with(_ body: (House) async throws -> Void) async throws {
        try await TestStore.with(connections: 4) { try await body(House($0)) }
    }

    @Test(
        "after the last person who gets them, one look ends them, and appends cause no more looks",
        arguments: End.allCases)
    func ends(end: End) async throws {
        try await with { house in
            _ = try await house.append(1)
            #expect(try await house.plansAlerts)
            #expect(try await house.append(2), "each append asks for a look")
            try await house.end(end)
            _ = try await house.append(3)
            #expect(try await !house.plansAlerts)
            for number in Int64(4)...6 { #expect(try await !house.append(number)) }
        }
    }

    @Test("they begin again at once with the level or a subscription, and at the next look with the list")
    func beginsAgain() async throws {
        try await with { house in
            for end in [End.level, .subscription] {
                try await house.end(end)
                _ = try await house.append(1)
                #expect(try await !house.plansAlerts)
                if end == .level {
                    try await house.test.store.setNotificationLevel(.all, of: house.list, for: house.bob.account)
                } else {
                    try await house.subscribe()
                }
                #expect(try await house.plansAlerts)
            }
            try await house.end(.leaving)
            _ = try await house.append(2)
            #expect(try await !house.plansAlerts)
            try await house.test.add(house.bob, to: house.list, of: house.alice)
            try await house.test.run("UPDATE list SET summary_due = NULL")
            #expect(try await house.append(3))
            #expect(try await house.plansAlerts)
        }
    }

    @Test("a look that ends alerts is over before a person wants them again")
    func race() async throws {
        try await with { house in
            _ = try await house.append(1)
            let isDone = Flag()
            try await house.test.holding(house.list) {
                Task {
                    defer { isDone.raise() }
                    try await house.test.store.setNotificationLevel(.all, of: house.list, for: house.carol.account)
                }
            } until: {
                if isDone.isRaised { return true }
                return try await house.test.isWaiting
            }
            #expect(try await house.plansAlerts)
        }
    }
}

/// A moment that has come.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock(\.self) }
    func raise() { state.withLock { $0 = true } }
}

extension TestStore {
    /// Holds a list as a look does, and ends its alerts, after what `begin` starts has come as far as it can.
    fileprivate func holding(
        _ list: ListID, begin: () -> Task<Void, any Error>, until isStuck: () async throws -> Bool
    ) async throws {
        let begun = try await pool.withTransaction { connection in
            try await connection.execute("SELECT FROM list WHERE id = \(list) FOR UPDATE")
            let begun = begin()
            try await eventually("it has come as far as it can") { try await isStuck() }
            try await connection.execute("UPDATE list SET alerts_from = NULL WHERE id = \(list)")
            return begun
        }
        try await begun.value
    }

    /// Whether a statement waits for a lock.
    fileprivate var isWaiting: Bool {
        get async throws {
            let waiting = Query(
                unescaped:
                    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
            return try await !pool.withConnection { try await $0.execute(waiting) }.isEmpty
        }
    }
}
