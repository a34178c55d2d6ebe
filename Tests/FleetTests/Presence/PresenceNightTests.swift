import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// Presence and the read mark, with real devices and two service processes.
@Suite(.timeLimit(.minutes(20))) struct PresenceNightTests {
    /// Alice and Bob, each at a service process of their own on one database.
    private func with(_ body: (RoomPair) async throws -> Void) async throws {
        try await RoomPair.with(processes: 2) { pair in
            // Alice's device learns that the list is shared.
            _ = try await pair.alice.sync(.manual)
            try await body(pair)
        }
    }

    /// Seed 000: Bob changed the list at 00:26. Alice had put her phone away; her lease was valid until 00:34.
    @Test func `the night of 00:26: a lease that outlives Alice's stay hides nothing from her`() async throws {
        try await with { pair in
            _ = try await pair.alice.list(pair.list).announcePresence()
            try await pair.alice.list(pair.list).markRead()
            // Now she puts the phone away, and nothing ends her presence.
            _ = try await pair.bob.list(pair.list).announcePresence()
            try await pair.bob.list(pair.list).add((1...17).map { "item \($0)" }.joined(separator: "\n"))
            #expect(try await pair.bob.sync(.manual).waiting == 0)
            try await pair.bob.list(pair.list).endPresence()

            let summaries = try await eventually(every: .milliseconds(50)) {
                try await pair.alice.notifications.summaries()
            } until: {
                !$0.isEmpty
            }
            #expect(try await pair.isPresent(pair.alice, seenBy: pair.bob), "her lease still holds")
            #expect(summaries.map { $0.people.map(\.added) } == [[17]])
            #expect(summaries.first?.people.first?.name == "bob")
            _ = try await pair.alice.sync(.push)
            #expect(try await pair.unread(pair.alice) == 17)
            #expect(try await pair.bob.notifications.summaries() == [])

            try await pair.alice.list(pair.list).markRead()
            #expect(try await pair.unread(pair.alice) == 0)
            #expect(try await pair.alice.notifications.summaries() == [])
        }
    }

    @Test func `a mark that is stored is no failure, whatever the service answers, and the next sync tells it`()
        async throws
    {
        try await with { pair in
            try await pair.bob.list(pair.list).add("bread")
            #expect(try await pair.bob.sync(.manual).waiting == 0)
            _ = try await pair.alice.sync(.manual)
            let pool = Pool(try .patient(pair.url))
            func run(_ sql: String) async throws {
                _ = try await pool.withConnection { try await $0.execute(Query(unescaped: sql)) }
            }
            // The service answers internalError.
            try await run("ALTER TABLE read_mark RENAME TO lost_mark")
            let through = try await pair.alice.list(pair.list).markRead()
            #expect(try await pair.unread(pair.alice) == 0)
            try await run("ALTER TABLE lost_mark RENAME TO read_mark")
            _ = try await pair.alice.sync(.manual)
            let told = try await pool.withConnection { connection in
                try await connection.execute("SELECT max(through) FROM read_mark WHERE list_id = \(pair.list)")[0]
                    .decode(
                        Int64.self, at: 0)
            }
            #expect(told == through.rawValue)
            await pool.close()
        }
    }

    @Test func `who looks at the list until it is closed has read it`() async throws {
        try await with { pair in
            _ = try await pair.alice.list(pair.list).announcePresence()
            try await pair.bob.list(pair.list).add("beer\nwine")
            #expect(try await pair.bob.sync(.manual).waiting == 0)
            _ = try await pair.alice.sync(.push)
            #expect(try await pair.unread(pair.alice) == 2)
            #expect(try await pair.isPresent(pair.alice, seenBy: pair.bob))
            try await pair.alice.list(pair.list).endPresence()
            #expect(try await pair.unread(pair.alice) == 0)
            #expect(try await !pair.isPresent(pair.alice, seenBy: pair.bob))
            let account = try #require(try await pair.alice.session()?.account)
            let share = try await pair.bob.list(pair.list).people()
            let newest = try #require(try await pair.bob.list(pair.list).activity(limit: 1).activity.first?.sequence)
            #expect(share.reads?.first { $0.account == account }?.through == newest)
        }
    }

    @Test func `a change is queued, on the service, on Alice's device, and seen by her`() async throws {
        try await with { pair in
            func step() async throws -> DeliveryStep? {
                let delivery = try await pair.bob.list(pair.list).delivery()
                #expect(delivery.people.map(\.participant.name) == ["alice"])
                let page = try await pair.bob.list(pair.list).activity(limit: 1)
                let isQueued = try await !pair.bob.list(pair.list).pendingChanges().isEmpty
                return delivery.people.first.map {
                    delivery.step(of: isQueued ? nil : page.activity.first?.sequence, to: $0)
                }
            }
            try await pair.bob.list(pair.list).add("beer")
            #expect(try await step() == .queued)
            _ = try await pair.bob.sync(.manual)
            #expect(try await step() == .onService)
            _ = try await pair.alice.sync(.push)
            #expect(try await step() == .onService, "her device has not confirmed it")
            _ = try await pair.alice.sync(.timer)
            #expect(try await step() == .onDevice)
            try await pair.alice.list(pair.list).markRead()
            #expect(try await step() == .seen)
            #expect(DeliveryStep.allCases == DeliveryStep.allCases.sorted())
        }
    }

    @Test func `what Alice wants to be told holds on all of her devices`() async throws {
        try await with { pair in
            #expect(try await pair.alice.list(pair.list).notificationLevel() == .summaries)
            try await pair.alice.list(pair.list).setNotificationLevel(.nothing)
            #expect(try await pair.alice.list(pair.list).notificationLevel() == .nothing)
            #expect(try await pair.bob.list(pair.list).notificationLevel() == .summaries)
        }
    }
}

extension RoomPair {
    fileprivate func unread(_ device: Device) async throws -> Int { try await device.list(list).summary().unread }

    fileprivate func isPresent(_ device: Device, seenBy other: Device) async throws -> Bool {
        let account = try #require(try await device.session()?.account)
        return try await other.list(list).people().presence?.contains { $0.account == account } == true
    }
}
