import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@Suite("Messages after compression", .timeLimit(.minutes(20)))
struct CompressedMessageTests {
    @Test("what arrives about a removed message is taken, and goes with a later compression")
    func lateReactions() async throws {
        try await MessageScene.with { scene in
            let kept = try await scene.say("kept", by: scene.anna)
            let gone = try await scene.say("gone", by: scene.anna)
            #expect(try await scene.send(.about(gone, .deleteMessage), by: scene.anna).status == .applied)
            #expect(try await scene.compressLater() == 1)

            let late: [JournalEntry] = [
                .about(gone, .react, "👍"), .about(gone, .pin), .about(gone, .deleteMessage),
                .about(gone, .unreact, "👍"),
            ]
            for entry in late { #expect(try await scene.send(entry, by: scene.ben).status == .applied) }
            let reaction = JournalEntry.about(kept, .react, "👍")
            #expect(try await scene.send(reaction, by: scene.ben).status == .applied)
            #expect(try await scene.messages(for: scene.anna).page.total == 1)

            #expect(try await scene.compressLater() == 2, "the message and its reaction")
            let told = try await scene.service.pool.withConnection { connection in
                try await connection.execute(
                    "SELECT change::text FROM event WHERE list_id = \(scene.list) ORDER BY sequence DESC LIMIT 1")[0]
                    .decode(String.self, at: 0)
            }
            for entry in late { #expect(told.contains(entry.id.description), "devices are told that it is gone") }
            #expect(try await scene.messages(for: scene.anna).page.messages.map(\.reactions.count) == [1])
            // A retry is still a duplicate.
            #expect(try await scene.send(late[0], by: scene.ben).status == .duplicate)
        }
    }

    @Test("only a message may be marked as read: of this list, also a removed one, but no other entry of the archive")
    func reading() async throws {
        try await MessageScene.with { scene in
            let (milk, bread) = (JournalEntry.add("milk"), JournalEntry.add("bread"))
            let delete = JournalEntry(id: .random(), operation: .delete, item: milk.item, deviceSequence: 2)
            for entry in [milk, bread, delete] {
                #expect(try await scene.send(entry, by: scene.anna).status == .applied)
            }
            let gone = try await scene.say("gone", by: scene.anna)
            let place = try #require(try await scene.messages(for: scene.anna).page.messages.first).sequence
            let deletion = JournalEntry.about(gone, .deleteMessage)
            #expect(try await scene.send(deletion, by: scene.anna).status == .applied)
            #expect(try await scene.compressLater() == 1)
            for other in [milk.id, bread.id, delete.id, deletion.id, .random()] {
                #expect(try await scene.read([other], by: scene.ben).outcome == "404 unknownItem")
                #expect(try await scene.read([gone, other], by: scene.ben).outcome == "404 unknownItem")
            }
            #expect(try await scene.messages(for: scene.anna).page.reads.isEmpty)
            let answer = try await scene.read([gone], by: scene.ben)
            #expect(try answer.decode(ReadPosition.self).through == place)
        }
    }
}
