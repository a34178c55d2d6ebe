import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

/// The table at the end of seed 001, row by row, for a client that doesn't fold. The row 'offline' is the device's:
/// `DeviceMessageTests`.
@Suite("Incremental messages", .timeLimit(.minutes(20)))
struct IncrementalMessageTests {
    @Test("opening a conversation for the first time brings 50 messages")
    func firstTime() async throws {
        try await MessageScene.with { scene in
            try await scene.fill(120)
            let (page, bytes) = try await scene.messages(for: scene.ben)
            #expect(page.messages.map(\.text) == (71...120).map { "message \($0)" })
            #expect(page.total == 120 && page.token != nil && page.next != nil && !page.moreComing)
            #expect(bytes > 8_000 && bytes < 25_000, "\(bytes) bytes")
        }
    }

    @Test("opening a conversation that was open 5 minutes ago brings only its new messages, 0 to 2 of them")
    func openedLately() async throws {
        try await MessageScene.with { scene in
            try await scene.fill(120)
            let first = try await scene.messages(for: scene.ben).page
            let none = try await scene.messages("after=\(try #require(first.token))", for: scene.ben)
            #expect(none.page.messages.isEmpty && none.page.total == 120)
            #expect(none.bytes < 256, "\(none.bytes) bytes")
            try await scene.say("one", by: scene.anna)
            try await scene.say("two", by: scene.anna)
            let two = try await scene.messages("after=\(try #require(none.page.token))", for: scene.ben)
            #expect(two.page.messages.map(\.text) == ["one", "two"] && two.page.total == 122)
            #expect(two.bytes < 1024, "\(two.bytes) bytes")
        }
    }

    @Test("scrolling up brings the 50 messages above, down to the first")
    func older() async throws {
        try await MessageScene.with { scene in
            try await scene.fill(120)
            var page = try await scene.messages(for: scene.ben).page
            var seen = page.messages.map(\.text)
            while let next = page.next {
                let older = try await scene.messages("before=\(next)", for: scene.ben)
                #expect(older.bytes > 3_000 && older.bytes < 25_000, "\(older.bytes) bytes")
                page = older.page
                // The place for newer messages is the newest page's.
                #expect(page.token == nil)
                seen = page.messages.map(\.text) + seen
            }
            #expect(seen == (1...120).map { "message \($0)" })
        }
    }

    @Test("after a reconnect come only the messages since then, by token or by time")
    func reconnected() async throws {
        try await MessageScene.with { scene in
            try await scene.say("before", by: scene.anna)
            let page = try await scene.messages(for: scene.ben).page
            let last = try #require(page.messages.last)
            try await scene.say("while away", by: scene.anna)
            try await scene.say("own", by: scene.ben)
            let byToken = try await scene.messages("after=\(try #require(page.token))", for: scene.ben)
            #expect(byToken.page.messages.map(\.text) == ["while away", "own"])
            let byTime = try await scene.messages("after=\(last.madeAt)", for: scene.ben)
            #expect(byTime.page.messages.map(\.text) == ["while away", "own"])
            #expect(byToken.bytes < 1024 && byTime.bytes < 1024)
            // A long absence comes in pages.
            try await scene.fill(60)
            var seen: [String] = []
            var token = byToken.page.token
            while let after = token {
                let next = try await scene.messages("after=\(after)&limit=25", for: scene.ben).page
                seen += next.messages.map(\.text)
                token = next.moreComing ? next.token : nil
            }
            #expect(seen == (1...60).map { "message \($0)" })
        }
    }

    @Test("deleted messages are named, by token and by time, also after compression has removed them")
    func deleted() async throws {
        try await MessageScene.with { scene in
            let kept = try await scene.say("kept", by: scene.anna)
            let gone = try await scene.say("gone", by: scene.anna)
            let page = try await scene.messages(for: scene.ben).page
            let (token, time) = (try #require(page.token), try #require(page.messages.last?.madeAt))
            #expect(try await scene.send(.about(gone, .deleteMessage), by: scene.anna).status == .applied)
            #expect(try await scene.deleted(since: token, for: scene.ben).messages == [gone])
            #expect(try await scene.deleted(since: time, for: scene.ben).messages == [gone])
            let (incremental, bytes) = try await scene.messages("after=\(token)", for: scene.ben)
            #expect(bytes < 512, "\(bytes) bytes")
            #expect(incremental.messages.isEmpty && incremental.deleted == [gone] && incremental.total == 1)
            // A second deletion counts once.
            _ = try await scene.send(.about(gone, .deleteMessage), by: scene.anna)
            #expect(try await scene.messages(for: scene.ben).page.messages.map(\.id) == [kept])
            #expect(try await scene.messages(for: scene.ben).page.total == 1)

            let left = try await scene.compressLater()
            #expect(left == 1)
            #expect(try await scene.deleted(since: "2020-01-01T00:00:00Z", for: scene.ben).messages == [gone, gone])
            // A late reaction to the compressed message is applied and does nothing.
            #expect(try await scene.send(.about(gone, .react, "👍"), by: scene.ben).status == .applied)
            #expect(try await scene.messages(for: scene.ben).page.messages.map(\.id) == [kept])
        }
    }

    @Test("a message whose reactions or pin change comes again")
    func changed() async throws {
        try await MessageScene.with { scene in
            let first = try await scene.say("first", by: scene.anna)
            try await scene.say("second", by: scene.anna)
            let token = try #require(try await scene.messages(for: scene.ben).page.token)
            for entry in [
                JournalEntry.about(first, .react, "👍"), .about(first, .react, "🎉"), .about(first, .unreact, "🎉"),
                .about(first, .pin),
            ] {
                #expect(try await scene.send(entry, by: scene.ben).status == .applied)
            }
            let page = try await scene.messages("after=\(token)", for: scene.anna).page
            #expect(page.messages.map(\.text) == ["first"] && page.messages[0].pinned)
            #expect(page.messages[0].reactions == [.init(text: "👍", accounts: [scene.ben.account])])
        }
    }

    @Test("opening a conversation of 10,000 messages 2 messages later takes 2 KiB")
    func longConversation() async throws {
        try await MessageScene.with { scene in
            try await scene.fill(10_000)
            let token = try #require(try await scene.messages(for: scene.ben).page.token)
            try await scene.say("one", by: scene.anna)
            try await scene.say("two", by: scene.anna)
            let (page, bytes) = try await scene.messages("after=\(token)", for: scene.ben)
            #expect(page.messages.map(\.text) == ["one", "two"] && page.total == 10_002)
            #expect(bytes <= 2048, "\(bytes) bytes")
        }
    }
}
