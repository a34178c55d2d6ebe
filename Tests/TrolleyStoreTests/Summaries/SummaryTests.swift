import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Summaries", .timeLimit(.minutes(20)))
struct SummaryTests {
    /// Alice's list with Bob and Carol on it.
    private struct House {
        let test: TestStore
        let (alice, bob, carol): (Session, Session, Session)
        let list: ListID

        init(_ test: TestStore) async throws {
            self.test = test
            alice = try await test.person("alice")
            bob = try await test.person("bob")
            carol = try await test.person("carol")
            list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            try await test.add(carol, to: list, of: alice)
        }

        func open(_ session: Session) async throws {
            _ = try await test.store.setPresence(of: session, on: list, for: 60_000)
        }

        func leave(_ session: Session) async throws {
            _ = try await test.store.setPresence(of: session, on: list, for: nil)
        }

        /// Everything on the list happened that much earlier.
        func pass(seconds: Int) async throws {
            let interval = "interval '\(seconds) seconds'"
            try await test.run(
                """
                UPDATE entry SET made_at = made_at - \(interval), received_at = received_at - \(interval);
                UPDATE presence SET until = until - \(interval);
                UPDATE member SET joined_at = joined_at - \(interval);
                UPDATE list SET summary_due = summary_due - \(interval);
                """)
        }

        /// Looks at the due lists once, as each process does twice a second.
        @discardableResult
        func look() async throws -> Set<AccountID> {
            var told: Set<AccountID> = []
            for list in try await test.store.listsWithEndedSessions(limit: 10) {
                told.formUnion(try await test.store.summarize(list.id)?.people ?? [])
            }
            return told
        }

        /// The unread summaries as words, newest first: `bob +2 -1`.
        func summaries(for session: Session) async throws -> [String] {
            try await test.store.summaries(for: session.account).map { summary in
                summary.people.map { "\($0.name ?? "?") +\($0.added) -\($0.markedOff)" }.joined(separator: ", ")
            }
        }

        func due() async throws -> Bool {
            try await test.pool.withConnection { connection in
                try await !connection.execute("SELECT FROM list WHERE summary_due IS NOT NULL").isEmpty
            }
        }
    }

    private func with(_ body: (House) async throws -> Void) async throws {
        try await TestStore.with(connections: 4) { try await body(House($0)) }
    }

    @Test("leaving ends a session: the others get one summary, and the person who left gets none")
    func leaving() async throws {
        try await with { house in
            try await house.open(house.bob)
            let milk = JournalEntry.add("milk")
            try await house.test.upload([milk, .add("eggs", 2)], to: house.list, by: house.bob)
            #expect(try await house.look() == [], "he is still there")
            #expect(try await house.look() == [])
            try await house.test.upload(
                [
                    JournalEntry(
                        id: .version7(at: .now, random: RandomBits.random), operation: .markOff, item: milk.item,
                        deviceSequence: 3)
                ],
                to: house.list, by: house.bob)
            try await house.leave(house.bob)
            #expect(try await house.look() == [house.alice.account, house.carol.account])
            #expect(try await house.look() == [])
            #expect(try await house.summaries(for: house.alice) == ["bob +2 -1"])
            #expect(try await house.summaries(for: house.carol) == ["bob +2 -1"])
            #expect(try await house.summaries(for: house.bob) == [])
            #expect(try await !house.due())
        }
    }

    @Test("what one writes on a list that nobody else is on makes no summary due, whichever statement stores it")
    func alone() async throws {
        try await with { house in
            let diary = try await house.test.list(of: house.alice)
            let message = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .message,
                fields: [Fields.text: "remember"], deviceSequence: 1)
            // Messages are stored one upload at a time, items with the uploads of others.
            try await house.test.upload([message], to: diary, by: house.alice)
            try await house.test.upload([.add("pen", 2)], to: diary, by: house.alice)
            #expect(try await !house.due())
            try await house.test.add(house.bob, to: diary, of: house.alice)
            try await house.test.upload([.add("ink", 3)], to: diary, by: house.alice)
            #expect(try await house.due())
        }
    }

    @Test("a summary counts the messages that were not deleted; a session of reactions alone makes none")
    func messages() async throws {
        try await with { house in
            func entry(_ operation: TrolleyJournal.Operation, _ fields: Fields) -> JournalEntry {
                JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: operation, fields: fields,
                    deviceSequence: 1)
            }
            let written = (1...3).map { entry(.message, [Fields.text: .string("message \($0)")]) }
            let third = FieldValue.string(written[2].id.description)
            try await house.open(house.bob)
            try await house.test.upload(
                written + [entry(.deleteMessage, [Fields.message: third])], to: house.list, by: house.bob)
            try await house.leave(house.bob)
            #expect(try await house.look() == [house.alice.account, house.carol.account])
            let summary = try #require(try await house.test.store.summaries(for: house.alice.account).first)
            #expect(summary.people.map(\.messages) == [2] && summary.people.map(\.listChanges) == [0])

            let first = FieldValue.string(written[0].id.description)
            try await house.open(house.carol)
            try await house.test.upload(
                [entry(.react, [Fields.message: first, Fields.text: "👍"])], to: house.list, by: house.carol)
            try await house.leave(house.carol)
            #expect(try await house.look() == [])
            #expect(try await house.test.store.summaries(for: house.bob.account).isEmpty)
        }
    }

    @Test("an expired presence ends a session, and so do two minutes without a change; a device that stays counts")
    func expiry() async throws {
        try await with { house in
            try await house.open(house.bob)
            try await house.test.upload([.add("milk")], to: house.list, by: house.bob)
            try await house.look()
            // The test takes time itself.
            try await house.pass(seconds: 30)
            #expect(try await house.look() == [])
            try await house.pass(seconds: 31)
            #expect(try await house.look().count == 2)

            // Without presence, like a device that adds by a command.
            try await house.test.upload([.add("eggs", 2)], to: house.list, by: house.bob)
            try await house.look()
            try await house.pass(seconds: 90)
            #expect(try await house.look() == [])
            try await house.pass(seconds: 31)
            #expect(try await house.look().count == 2)

            // One of two devices leaves.
            let desk = try await house.test.store.createDevice(
                account: house.bob.account, name: "desk", tokenHash: Array(repeating: 1, count: 32))
            try await house.open(house.bob)
            try await house.open(Session(account: house.bob.account, device: desk.id))
            try await house.test.upload([.add("beer", 3)], to: house.list, by: house.bob)
            try await house.leave(house.bob)
            #expect(try await house.look() == [], "he is still there at his desk")
            try await house.leave(Session(account: house.bob.account, device: desk.id))
            #expect(try await house.look().count == 2)
        }
    }

    @Test("the sweeper forgets presence only after the end of a session was seen")
    func sweeping() async throws {
        try await with { house in
            try await house.open(house.bob)
            try await house.test.upload([.add("milk")], to: house.list, by: house.bob)
            try await house.leave(house.bob)
            try await house.test.store.deleteExpired()
            #expect(try await house.look().count == 2)
        }
    }

    @Test("a summary covers what came after the read mark and the last summary, and reading takes it away")
    func windows() async throws {
        try await with { house in
            try await house.test.upload([.add("milk"), .add("eggs", 2)], to: house.list, by: house.bob)
            let head = try await house.test.entries(house.list, seenBy: house.alice).map(\.sequence).max()
            _ = try await house.test.store.markRead(house.list, through: #require(head), by: house.alice.account)
            try await house.test.upload([.add("beer", 3)], to: house.list, by: house.bob)
            try await house.pass(seconds: 121)
            #expect(try await house.look() == [house.alice.account, house.carol.account])
            #expect(try await house.summaries(for: house.alice) == ["bob +1 -0"], "she has read the first two")
            #expect(try await house.summaries(for: house.carol) == ["bob +3 -0"])

            try await house.test.upload([.add("wine", 4)], to: house.list, by: house.bob)
            try await house.pass(seconds: 121)
            try await house.look()
            #expect(try await house.summaries(for: house.carol) == ["bob +1 -0", "bob +3 -0"])
            let last = try #require(try await house.test.entries(house.list, seenBy: house.alice).map(\.sequence).max())
            _ = try await house.test.store.markRead(house.list, through: last, by: house.carol.account)
            #expect(try await house.summaries(for: house.carol) == [])
        }
    }

    @Test("somebody who has read everything gets no summary")
    func hasRead() async throws {
        try await with { house in
            try await house.open(house.bob)
            try await house.test.upload([.add("milk")], to: house.list, by: house.bob)
            let head = try #require(try await house.test.entries(house.list, seenBy: house.alice).map(\.sequence).max())
            _ = try await house.test.store.markRead(house.list, through: head, by: house.alice.account)
            try await house.leave(house.bob)
            #expect(try await house.look() == [house.carol.account])
        }
    }

    @Test("a person who wants nothing gets nothing, and afterwards only what comes later")
    func levels() async throws {
        try await with { house in
            let store = house.test.store
            let (list, carol) = (house.list, house.carol.account)
            #expect(try await store.notificationLevel(of: list, for: carol) == .summaries)
            try await store.setNotificationLevel(.nothing, of: list, for: carol)
            #expect(try await store.notificationLevel(of: list, for: carol) == .nothing)
            try await house.test.upload([.add("milk")], to: list, by: house.bob)
            try await house.pass(seconds: 121)
            #expect(try await house.look() == [house.alice.account])
            try await store.setNotificationLevel(.all, of: list, for: carol)
            try await house.test.upload([.add("eggs", 2), .add("beer", 3)], to: list, by: house.bob)
            try await house.pass(seconds: 121)
            #expect(try await house.look() == [house.alice.account, carol])
            #expect(try await house.summaries(for: house.carol) == ["bob +2 -0"])
            try await store.setNotificationLevel(.nothing, of: list, for: carol)
            #expect(try await house.summaries(for: house.carol) == [])
            let stranger = try await house.test.person("stranger")
            for level in NotificationLevel.allCases {
                #expect(
                    await failure { try await store.setNotificationLevel(level, of: list, for: stranger.account) }
                        == "notOnList")
            }
            #expect(await failure { try await store.notificationLevel(of: list, for: stranger.account) } == "notOnList")
        }
    }

    @Test("however many processes look at a list at the same time, each session is summarized once")
    func race() async throws {
        try await TestStore.with(connections: 6) { test in
            let house = try await House(test)
            let other = Store(pool: test.pool)
            for round in 1...10 {
                try await test.upload([.add("item \(round)", Int64(round))], to: house.list, by: house.bob)
                try await house.pass(seconds: 121)
                let told = try await withThrowingTaskGroup(of: SummarizedList?.self) { group in
                    for index in 1...6 {
                        group.addTask { try await (index.isMultiple(of: 2) ? test.store : other).summarize(house.list) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                }
                #expect(told.count == 1)
                #expect(try await house.summaries(for: house.alice).count == round)
            }
        }
    }

    @Test("a process that dies while it summarizes leaves the session to the next one")
    func dies() async throws {
        try await with { house in
            try await house.test.upload([.add("milk")], to: house.list, by: house.bob)
            try await house.pass(seconds: 121)
            // The connection is lost before the commit.
            try await house.test.run(
                """
                CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
                CREATE TRIGGER die BEFORE INSERT ON summary FOR EACH ROW EXECUTE FUNCTION die();
                """)
            #expect(await failure { try await house.look() } != "nothing")
            try await house.test.run("DROP TRIGGER die ON summary;")
            #expect(try await house.summaries(for: house.alice) == [])
            #expect(try await house.look().count == 2)
            #expect(try await house.summaries(for: house.alice) == ["bob +1 -0"])
            #expect(try await house.look() == [])
        }
    }

    @Test("nobody who left or was removed is told, and who joins is told of later changes only")
    func people() async throws {
        try await with { house in
            let dan = try await house.test.person("dan")
            try await house.test.upload([.add("milk")], to: house.list, by: house.bob)
            try await house.pass(seconds: 121)
            try await house.test.store.removeParticipant(house.carol.account, from: house.list, by: house.alice.account)
            try await house.test.add(dan, to: house.list, of: house.alice)
            #expect(try await house.look() == [house.alice.account])
            try await house.test.upload([.add("eggs", 2)], to: house.list, by: house.bob)
            _ = try await house.test.store.setPresence(of: house.bob, on: house.list, for: 60_000)
            try await house.leave(house.bob)
            #expect(try await house.look() == [house.alice.account, dan.account])
            #expect(try await house.summaries(for: dan) == ["bob +1 -0"])
            try await house.test.store.removeParticipant(dan.account, from: house.list, by: house.alice.account)
            #expect(try await house.summaries(for: dan) == [], "it is no longer his list")
        }
    }

    @Test("a list without others is never looked at, and a deleted list and account leave no summaries")
    func gone() async throws {
        try await with { house in
            let own = try await house.test.list(of: house.alice)
            try await house.test.upload([.add("milk")], to: own, by: house.alice)
            #expect(try await !house.due())
            try await house.test.upload([.add("milk", 1)], to: house.list, by: house.bob)
            try await house.pass(seconds: 121)
            try await house.look()
            try await house.test.store.deleteAccount(house.carol.account)
            try await house.test.store.deleteList(house.list, by: house.alice.account)
            let rows = try await house.test.pool.withConnection { connection in
                try await connection.execute("SELECT FROM summary").count
                    + connection.execute("SELECT FROM summary_state").count
            }
            #expect(rows == 0)
            #expect(try await house.look() == [])
        }
    }

    @Test("a person's summaries of a list are bounded")
    func bounded() async throws {
        try await with { house in
            for number in 1...55 {
                try await house.test.upload([.add("item", Int64(number))], to: house.list, by: house.bob)
                try await house.pass(seconds: 121)
                try await house.look()
            }
            let summaries = try await house.test.store.summaries(for: house.alice.account)
            #expect(summaries.count == 50)
            let throughs = summaries.map(\.through)
            #expect(throughs == throughs.sorted(by: >))
            try await house.test.run("UPDATE summary SET made_at = made_at - interval '15 days';")
            try await house.test.store.deleteExpired()
            #expect(try await house.summaries(for: house.carol) == [])
        }
    }
}
