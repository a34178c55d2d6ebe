import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Messages across service processes", .timeLimit(.minutes(20)))
struct CrossProcessMessageTests {
    @Test("a message at one process is announced, read, answered and deleted at another")
    func conversation() async throws {
        try await TestService.withTwo { one, other in
            let scene = try await MessageScene(one)
            let elsewhere = MessageScene(scene, at: other)
            let token = try #require(try await elsewhere.messages(for: scene.ben).page.token)
            let hub = other.service.hub
            let stream = try await hub.subscribe(
                Session(account: scene.ben.account, device: scene.ben.device), lastEventID: nil)
            defer { hub.unsubscribe(stream) }
            _ = stream.take()

            let message = try await scene.say("hello", by: scene.anna)
            try await stream.hears("event: changed")
            let page = try await elsewhere.messages("after=\(token)", for: scene.ben).page
            #expect(page.messages.map(\.id) == [message])
            #expect(try await elsewhere.read([message], by: scene.ben).status == 200)
            #expect(try await elsewhere.send(.about(message, .react, "👍"), by: scene.ben).status == .applied)

            let seen = try await scene.messages(for: scene.anna).page
            #expect(seen.reads == [ReadMark(account: scene.ben.account, through: page.messages[0].sequence)])
            #expect(seen.messages.map { $0.reactions.flatMap(\.accounts) } == [[scene.ben.account]])
            #expect(try await scene.send(.about(message, .deleteMessage), by: scene.anna).status == .applied)
            let after = try #require(page.token)
            #expect(try await elsewhere.messages("after=\(after)", for: scene.ben).page.deleted == [message])
            // Another list's message is another list's at every process.
            let foreign = JournalEntry.message("elsewhere")
            let list = try await one.list(of: scene.ben)
            #expect(try await scene.send(foreign, by: scene.ben, to: list).status == .applied)
            #expect(try await elsewhere.read([foreign.id], by: scene.ben).outcome == "404 unknownItem")
        }
    }
}
