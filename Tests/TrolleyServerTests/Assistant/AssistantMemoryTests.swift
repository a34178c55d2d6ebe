import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("An assistant's tools with little memory", .timeLimit(.minutes(20)))
struct AssistantMemoryTests {
    /// A list with so many items that reading it takes tens of kilobytes.
    private func longList(of scene: AssistantScene) async throws -> ListID {
        let list = try await scene.service.list(of: scene.anna)
        try await scene.service.rename(list, to: "Party", by: scene.anna)
        let adds = (1...200).map { JournalEntry.add("thing \($0)", Int64($0 + 1)) }
        _ = try await scene.service.upload(adds, to: list, by: scene.anna)
        return list
    }

    @Test("a change for whose answer there is no memory isn't made, so none that was made is answered as failed")
    func changing() async throws {
        try await AssistantScene.with { scene in
            let memory = scene.service.service.store.memory
            let held = memory.reservation(for: scene.anna.account)
            // Enough to read the list, and not for the answer, which has the note with each item.
            try held.grow(by: memory.share - (60 << 10))
            let items = (1...100).map { #""item \#($0)""# }.joined(separator: ",")
            let call = #"{"items":[\#(items)],"note":"\#(String(repeating: "x", count: 1000))"}"#
            let refused = try await scene.use("add", call)
            #expect(refused.isError && refused.text.contains("Try again"), "\(refused.text.prefix(200))")
            held.shrink(to: 0)
            // The list's name.
            #expect(try await scene.entries().count == 1)
            #expect(try await scene.use("add", call).answer?.items?.count == 100)
            #expect(try await scene.entries().count == 101)
        }
    }

    @Test("a resource that can't be read just now is no wrong address: the client is told to come again")
    func resource() async throws {
        try await AssistantScene.with { scene in
            let read = """
                {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"trolley://lists/\(scene.list)"}}
                """
            let memory = scene.service.service.store.memory
            let held = memory.reservation(for: scene.anna.account)
            try held.grow(by: memory.share - 1)
            let refused = try await scene.post(read)
            #expect(try refused.outcome == "503 serviceUnavailable" && refused.headers["retry-after"] == "1")
            held.shrink(to: 0)
            #expect(try await scene.post(read).decode(RPCAnswer.self).result?.contents?.count == 1)
        }
    }

    @Test("suggestions come from the list itself first, and from others as far as there is memory")
    func suggesting() async throws {
        try await AssistantScene.with { scene in
            _ = try await longList(of: scene)
            _ = try await scene.use("add", #"{"items":["milk"],"list":"Kitchen"}"#)
            _ = try await scene.use("mark_off", #"{"items":["milk"],"list":"Kitchen"}"#)
            let memory = scene.service.service.store.memory
            let held = memory.reservation(for: scene.anna.account)
            try held.grow(by: memory.share - (40 << 10))
            let suggested = try await scene.use("suggest", #"{"list":"Kitchen"}"#)
            #expect(suggested.answer?.suggestions?.map(\.text) == ["milk"], "\(suggested.text.prefix(200))")
            withExtendedLifetime(held) {}
        }
    }

    @Test("a list that is too long to be searched keeps no other list from it, and the answer says that it isn't whole")
    func searching() async throws {
        var reading = ReadingLimits()
        (reading.bytes, reading.bytesPerAccount) = (400 << 10, 60 << 10)
        try await AssistantScene.with(reading: reading) { scene in
            let long = try await longList(of: scene)
            _ = try await scene.use("add", #"{"items":["milk"],"list":"Kitchen"}"#)
            let found = try WhereDocument(try await scene.use("where", #"{"item":"milk"}"#).text)
            #expect(found.items.map(\.text) == ["milk"] && !found.isWhole)
            let refused = try await scene.use("undo", #"{"list":"\#(long)"}"#)
            #expect(refused.isError && refused.text.contains("too long for this tool"), "\(refused.text.prefix(200))")
        }
    }

    @Test("a search without a name is refused before a list is read")
    func blank() async throws {
        try await AssistantScene.with { scene in
            for name in [" ", "\\t", "\\u00A0"] {
                let refused = try await scene.use("where", #"{"item":"\#(name)"}"#)
                #expect(refused.isError && refused.text.contains("Name the item"), "\(refused.text)")
            }
        }
    }
}
