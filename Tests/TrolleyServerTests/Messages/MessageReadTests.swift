import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Messages and their readers", .timeLimit(.minutes(20)))
struct MessageReadTests {
    @Test("reading messages moves the account's read mark to the last of them, and never back")
    func reading() async throws {
        try await MessageScene.with { scene in
            let one = try await scene.say("one", by: scene.anna)
            let two = try await scene.say("two", by: scene.anna)
            func read(_ messages: EntryID...) async throws -> Int64 {
                try await scene.read(messages, by: scene.ben).decode(ReadPosition.self).through.rawValue
            }
            let page = try await scene.messages(for: scene.anna).page
            #expect(page.reads.isEmpty)
            #expect(try await read(one) == page.messages[0].sequence.rawValue)
            #expect(try await read(one, two) == page.messages[1].sequence.rawValue)
            #expect(try await read(one) == page.messages[1].sequence.rawValue)
            let reads = try await scene.messages(for: scene.anna).page.reads
            #expect(reads == [ReadMark(account: scene.ben.account, through: page.messages[1].sequence)])
        }
    }

    @Test("a message about an item is in the item's Activity")
    func activity() async throws {
        try await MessageScene.with { scene in
            let add = JournalEntry.add("milk")
            _ = try await scene.send(add, by: scene.anna)
            #expect(try await scene.send(.message("the blue one", about: add.item), by: scene.ben).status == .applied)
            let item = try #require(add.item)
            let answer = try await scene.service.call(
                "GET", "\(Path.activity(scene.list))?item=\(item)", token: scene.anna.token)
            let page = try ActivityPage(json: answer.body)
            #expect(page.activity.map(\.authorName) == ["ben", "anna"])
            #expect(page.activity.map(\.itemText) == ["milk", "milk"], "a message doesn't name its item")
            guard case .entry(let entry) = page.activity[0].event else { throw ActivityMissing() }
            #expect(entry.entry.operation == .message)
        }
    }

    private struct ActivityMissing: Error {}

    @Test("a device of an earlier version is told that it is too old once a list has messages, and not before")
    func earlierVersions() async throws {
        try await MessageScene.with { scene in
            func sync(_ version: Int, tokens: String = "") async throws -> Answer {
                try await scene.service.call(
                    "POST", Path.changes, token: scene.ben.token,
                    json: #"{"protocolVersion":\#(version),"tokens":{\#(tokens)},"report":{}}"#)
            }
            let before = try AllChangesResponse(json: try await sync(2).body)
            #expect(before.protocolVersion == 2)
            let token = try #require(before.lists.first?.page.token)
            try await scene.say("hello", by: scene.anna)
            let refused = try await sync(2, tokens: #""\#(scene.list)":"\#(token)""#)
            #expect(try refused.outcome == "426 incompatibleVersion")
            let now = try AllChangesResponse(json: try await sync(3).body)
            #expect(now.protocolVersion == 3 && now.lists.first?.page.entries.map(\.entry.operation) == [.message])
            // A service is not ahead of itself: a later device is answered with what this service speaks.
            #expect(try AllChangesResponse(json: try await sync(9).body).protocolVersion == 3)
        }
    }
}
