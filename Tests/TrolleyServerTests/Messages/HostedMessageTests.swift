import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyServer

@Suite("Messages and hosted devices", .timeLimit(.minutes(20)))
struct HostedMessageTests {
    @Test("a hosted device gets messages until it acknowledges them, and its list shows only items")
    func messages() async throws {
        try await MessageScene.with { scene in
            let speaker = try await scene.service.hosted(of: scene.ben, list: scene.list)
            let milk = JournalEntry.add("milk")
            _ = try await scene.send(milk, by: scene.anna)
            let message = JournalEntry.message("the blue one", about: milk.item)
            _ = try await scene.send(message, by: scene.anna)
            _ = try await scene.send(.about(message.id, .react, "👍"), by: scene.anna)

            var toApply = try await speaker.get("to-apply")
            while try toApply.count("entries") < 3 { toApply = try await speaker.get("to-apply") }
            #expect(toApply.text.contains(#""operation":"message""#) && toApply.text.contains("the blue one"))
            #expect(toApply.text.contains(#""operation":"react""#))
            let list = try await speaker.get("list").text
            #expect(list.contains(#""text":"milk""#) && !list.contains("blue"))
            // The item is still found by its own name, and can be changed.
            #expect(try await speaker.post("off", #"{"text":"milk"}"#).status == 200)
            let body = #"{"entries":["\#(milk.id)","\#(message.id)"]}"#
            #expect(try await speaker.post("acknowledge", body).text == #"{"acknowledged":2}"#)
            #expect(try await speaker.get("to-apply").count("entries") == 1)
        }
    }

    @Test("an item that was finished unseen leaves the queue; the message about it stays until it is acknowledged")
    func unseen() async throws {
        try await MessageScene.with { scene in
            let milk = JournalEntry.add("milk")
            let message = JournalEntry.message("the blue one", about: milk.item)
            let off = JournalEntry(id: .random(), operation: .markOff, item: milk.item, deviceSequence: 2)
            for entry in [milk, message, off] { _ = try await scene.send(entry, by: scene.anna) }
            _ = try await scene.service.pool.withConnection { connection in
                try await connection.execute(
                    "UPDATE entry SET made_at = made_at - interval '4 hours', received_at = received_at - interval '4 hours'"
                )
            }
            let speaker = try await scene.service.hosted(of: scene.ben, list: scene.list)
            var toApply = try await speaker.get("to-apply")
            while try toApply.count("entries") == 0 { toApply = try await speaker.get("to-apply") }
            #expect(try toApply.count("entries") == 1 && toApply.text.contains("\(message.id)"))
        }
    }
}
