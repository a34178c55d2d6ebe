import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@Suite("Messages that are refused", .timeLimit(.minutes(20)))
struct MessageRefusalTests {
    @Test("a message of 8 KiB is refused, and the others of its request are taken")
    func tooLong() async throws {
        try await MessageScene.with { scene in
            let long = JournalEntry.message(String(repeating: "x", count: 8 << 10))
            let response = try await scene.service.upload([long, .message("short")], to: scene.list, by: scene.anna)
            #expect(response.results.map(\.code) == [.limitExceeded, nil])
            let almost = JournalEntry.message(String(repeating: "x", count: 5 << 10))
            #expect(try await scene.send(almost, by: scene.anna).code == .limitExceeded)
            #expect(try await scene.messages(for: scene.ben).page.messages.map(\.text) == ["short"])
        }
    }

    @Test("the id of another list's message is refused, in an upload and as read")
    func otherLists() async throws {
        try await MessageScene.with { scene in
            let other = try await scene.service.list(of: scene.ben)
            let foreign = JournalEntry.message("elsewhere")
            #expect(try await scene.send(foreign, by: scene.ben, to: other).status == .applied)
            for operation in [TrolleyJournal.Operation.deleteMessage, .react, .unreact, .pin, .unpin] {
                let result = try await scene.send(.about(foreign.id, operation, "👍"), by: scene.ben)
                #expect(result.code == .unknownItem, "\(operation)")
            }
            #expect(try await scene.read([foreign.id], by: scene.ben).outcome == "404 unknownItem")
            // One foreign id spoils the request: the mark doesn't move.
            let own = try await scene.say("here", by: scene.anna)
            #expect(try await scene.read([own, foreign.id], by: scene.ben).outcome == "404 unknownItem")
            #expect(try await scene.messages(for: scene.anna).page.reads.isEmpty)
        }
    }

    @Test("after a loss, an entry about a message that isn't back yet is taken, and counts once the message is back")
    func recovering() async throws {
        try await MessageScene.with { scene in
            let message = JournalEntry.message("lost")
            _ = try await scene.service.pool.withConnection { connection in
                try await connection.execute("UPDATE service SET epoch_reason = 'declared', epoch_began_at = now()")
            }
            #expect(try await scene.send(.about(message.id, .react, "👍"), by: scene.ben).status == .applied)
            #expect(try await scene.send(message, by: scene.anna).status == .applied)
            let page = try await scene.messages(for: scene.anna).page
            #expect(page.messages.map(\.reactions.count) == [1] && page.total == 1)
            // A deletion may come before its message, which is then never shown nor counted.
            let gone = JournalEntry.message("gone")
            #expect(try await scene.send(.about(gone.id, .deleteMessage), by: scene.ben).status == .applied)
            #expect(try await scene.send(gone, by: scene.ben).status == .applied)
            let after = try await scene.messages(for: scene.anna).page
            #expect(after.messages.map(\.text) == ["lost"] && after.total == 1)
        }
    }

    @Test("a message is deleted by its author or the list's owner, and by nobody else")
    func deleting() async throws {
        try await MessageScene.with { scene in
            let annas = try await scene.say("anna's", by: scene.anna)
            let bens = try await scene.say("ben's", by: scene.ben)
            #expect(try await scene.send(.about(annas, .deleteMessage), by: scene.ben).code == .permissionFailure)
            #expect(try await scene.send(.about(bens, .deleteMessage), by: scene.anna).status == .applied)
            #expect(try await scene.messages(for: scene.ben).page.messages.map(\.text) == ["anna's"])
        }
    }

    @Test("an entry about messages without what it needs is invalid")
    func incomplete() async throws {
        try await MessageScene.with { scene in
            let message = try await scene.say("hello", by: scene.anna)
            let id = message.description
            for (fields, operation) in [
                ([:], .message), ([Fields.text: ""], .message), ([Fields.text: .json("7")], .message),
                ([:], .pin), ([Fields.message: "none"], .pin), ([Fields.message: .string(id.uppercased())], .pin),
                ([Fields.message: .string(id)], .react), ([Fields.message: .string(id), Fields.text: ""], .react),
                ([Fields.message: .string(id), Fields.text: .string(String(repeating: "x", count: 65))], .react),
            ] as [(Fields, TrolleyJournal.Operation)] {
                let entry = JournalEntry(id: .random(), operation: operation, fields: fields, deviceSequence: 1)
                #expect(try await scene.send(entry, by: scene.anna).code == .invalidArguments, "\(operation) \(fields)")
            }
        }
    }

    @Test("somebody who may only read, or isn't on the list, reads or writes no messages beyond that")
    func permissions() async throws {
        try await MessageScene.with { scene in
            let (cleo, dan) = (try await scene.service.person("cleo"), try await scene.service.person("dan"))
            try await scene.service.add(cleo, to: scene.list, of: scene.anna, .readOnly)
            let message = try await scene.say("hello", by: scene.anna)
            #expect(try await scene.messages(for: cleo).page.messages.map(\.id) == [message])
            let upload = UploadRequest(entries: [UploadEntry(entry: .message("no"), age: 0)]).json
            func write(_ person: Person) async throws -> String {
                try await scene.service.call("POST", Path.entries(scene.list), token: person.token, body: upload)
                    .outcome
            }
            #expect(try await write(cleo) == "403 permissionFailure")
            #expect(try await write(dan) == "404 listNotFound")
            for path in [Path.messages(scene.list), "\(Path.deletedMessages(scene.list))?since=2026-01-01T00:00:00Z"] {
                #expect(try await scene.service.outcome("GET", path, token: dan.token) == "404 listNotFound")
            }
            let read = try await scene.service.call(
                "POST", Path.readMessages(scene.list), token: dan.token, json: #"{"messages":["\#(message)"]}"#)
            #expect(try read.outcome == "404 listNotFound")
        }
    }

    @Test("a token of another list expires, and what was never a token or a time is invalid")
    func tokens() async throws {
        try await MessageScene.with { scene in
            let other = try await scene.service.list(of: scene.anna)
            let token = try await scene.service.changes(other, for: scene.anna).token
            func outcome(_ query: String) async throws -> String {
                try await scene.service.outcome("GET", Path.messages(scene.list) + query, token: scene.anna.token)
            }
            #expect(try await outcome("?after=\(token)") == "410 changeTokenExpired")
            #expect(try await outcome("/deleted?since=\(token)") == "410 changeTokenExpired")
            #expect(try await outcome("?before=\(token)") == "410 changeTokenExpired")
            #expect(try await outcome("?after=yesterday") == "400 invalidArguments")
            #expect(try await outcome("?before=yesterday") == "400 invalidArguments")
            #expect(try await outcome("/deleted?since=yesterday") == "400 invalidArguments")
            #expect(try await outcome("?limit=0") == "400 invalidArguments")
            #expect(try await outcome("?after=\(token)&before=\(token)") == "400 invalidArguments")
        }
    }
}
