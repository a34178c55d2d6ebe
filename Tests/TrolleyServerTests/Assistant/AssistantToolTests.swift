import Testing
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

@testable import TrolleyServer

@Suite("An assistant's tools over HTTP", .timeLimit(.minutes(20)))
struct AssistantToolTests {
    @Test("an assistant adds, marks off and changes items, and the Activity names it")
    func changing() async throws {
        try await AssistantScene.with { scene in
            let added = try await scene.use("add", #"{"items":["2 l milk","eggs, 6","bread"],"note":"for Sunday"}"#)
            #expect(added.answer?.items?.map(\.line) == ["milk, 2 l", "eggs, 6", "bread"])
            #expect(added.answer?.list == scene.list && added.answer?.waiting == 0)
            _ = try await scene.use("mark_off", #"{"items":["eggs","3"],"list":"kitch"}"#)
            let edited = try await scene.use("edit", #"{"item":"milk","quantity":3,"note":"","list":"\#(scene.list)"}"#)
            #expect(edited.answer?.items?.map(\.line) == ["milk, 3"])
            #expect(try await scene.items() == ["milk, 3", "[x] eggs, 6", "[x] bread"])
            let shown = try await scene.use("show")
            #expect(shown.answer?.id == scene.list && shown.answer?.name == "Kitchen")
            #expect(shown.answer?.items?.map(\.position) == [1, 2, 3])
            let entries = try await scene.entries().dropFirst()
            #expect(entries.map(\.entry.operation) == [.add, .add, .add, .markOff, .markOff, .edit])
            #expect(entries.map(\.entry.deviceSequence) == [1, 2, 3, 4, 5, 6])
            #expect(entries.allSatisfy { $0.device == scene.assistant.device && $0.author == scene.anna.account })
            let batches = entries.map(\.entry.batch)
            #expect(batches[0] != nil && batches[0] == batches[2] && batches[3] == batches[4] && batches[5] == nil)
            let activity = try await scene.service.call("GET", Path.activity(scene.list), token: scene.anna.token)
            let names = try ActivityPage(json: activity.body).activity.map(\.deviceName)
            #expect(Set(names) == ["Ann's assistant", nil])
        }
    }

    @Test("what is on the list is not added again, what was marked off comes back, and nothing new appends nothing")
    func present() async throws {
        try await AssistantScene.with { scene in
            _ = try await scene.service.upload([.add("milk", 2), .add("eggs", 3)], to: scene.list, by: scene.anna)
            _ = try await scene.use("mark_off", #"{"items":["eggs"]}"#)
            let added = try await scene.use("add", #"{"items":["Milk","eggs"]}"#)
            #expect(added.answer?.present?.count == 1 && added.answer?.back?.count == 1)
            #expect(try await scene.items() == ["eggs", "milk"])
            let head = try await scene.entries().count
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            _ = try await scene.use("mark_off", #"{"items":["milk"]}"#)
            _ = try await scene.use("mark_off", #"{"items":["milk"]}"#)
            #expect(try await scene.entries().count == head + 1)
        }
    }

    @Test("two assistants that add the same at once add it once")
    func atOnce() async throws {
        try await AssistantScene.with { scene in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<6 { tasks.addTask { _ = try await scene.use("add", #"{"items":["milk"]}"#) } }
                try await tasks.waitForAll()
            }
            #expect(try await scene.items() == ["milk"])
        }
    }

    @Test("what compression took from the list is still known: aisles, purchases, whereabouts, the device's numbers")
    func compressed() async throws {
        try await AssistantScene.with { scene in
            _ = try await scene.use("add", #"{"items":["milk"],"aisle":"Dairy"}"#)
            _ = try await scene.use("mark_off", #"{"items":["milk"]}"#)
            let later = HostedClock.now().wall.advanced(byMilliseconds: 60_000)
            #expect(try await scene.service.service.store.compress(scene.list, olderThan: later)?.discarded == 2)
            #expect(try await scene.items().isEmpty)
            let suggested = try await scene.use("suggest", #"{"prefix":"mi"}"#)
            #expect(suggested.answer?.suggestions?.map(\.text) == ["milk"])
            let found = try WhereDocument(try await scene.use("where", #"{"item":"mil"}"#).text)
            #expect(found.isWhole && found.items.map(\.text) == ["milk"])
            #expect(found.items.map(\.status) == ["markedOff"] && found.items.map(\.source) == ["activity"])
            #expect(found.items.map(\.byName) == ["anna"] && found.items.map(\.listName) == ["Kitchen"])
            // Also beside an item that is on the list.
            _ = try await scene.use("add", #"{"items":["mild cheese"]}"#)
            let both = try WhereDocument(try await scene.use("where", #"{"item":"mil"}"#).text)
            #expect(both.isWhole && both.items.map(\.text) == ["mild cheese", "milk"])
            #expect(both.items.map(\.source) == ["list", "activity"])
            _ = try await scene.use("undo")
            let again = try await scene.use("add", #"{"items":["milk"]}"#)
            #expect(again.answer?.items?[0].fields["aisle"] == "Dairy")
            #expect(try await scene.entries().last?.entry.deviceSequence == 5)
        }
    }

    @Test("what there was no time to search is named")
    func noTime() async throws {
        try await AssistantScene.with(configure: { $0.assistantSearchTime = .zero }) { scene in
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            let none = try WhereDocument(try await scene.use("where", #"{"item":"milk"}"#).text)
            #expect(!none.isWhole && none.total == 0 && none.unsearched?.map(\.list) == [scene.list])
            #expect(none.unsearched?.map(\.listName) == ["Kitchen"])
        }
        try await AssistantScene.with { scene in
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            let found = try WhereDocument(try await scene.use("where", #"{"item":"milk"}"#).text)
            #expect(found.isWhole && found.total == 1 && found.unsearched == nil)
        }
    }

    @Test("undo takes whole gestures back, one after the other, also what others' compression has taken away")
    func undo() async throws {
        try await AssistantScene.with { scene in
            let milk = JournalEntry.add("milk", 2)
            let edit = JournalEntry(
                id: .random(), operation: .edit, item: milk.item, fields: ["quantity": "1 l"], deviceSequence: 3)
            _ = try await scene.service.upload([milk, edit], to: scene.list, by: scene.anna)
            _ = try await scene.use("edit", #"{"item":"milk","quantity":"2 l"}"#)
            _ = try await scene.use("add", #"{"items":["eggs","bread"]}"#)
            let later = HostedClock.now().wall.advanced(byMilliseconds: 60_000)
            #expect(try await scene.service.service.store.compress(scene.list, olderThan: later)?.discarded == 1)
            let first = try await scene.use("undo")
            #expect(first.answer?.entries?.map(\.operation) == ["delete", "delete"])
            #expect(try await scene.items() == ["milk, 2 l"])
            _ = try await scene.use("undo")
            #expect(try await scene.items() == ["milk, 1 l"])
            let none = try await scene.use("undo")
            #expect(none.answer?.entries?.isEmpty == true && !none.isError)
            // Only what was made from here.
            #expect(try await scene.items() == ["milk, 1 l"])
            #expect(try await scene.entries().suffix(3).allSatisfy { $0.entry.cause == .undo })
        }
    }

    @Test("what somebody else has changed since stays, with their name, and the next undo goes on before it")
    func superseded() async throws {
        try await AssistantScene.with { scene in
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            _ = try await scene.use("add", #"{"items":["tea"]}"#)
            let milk = JournalEntry.add("milk", 1)
            _ = try await scene.service.upload([milk], to: scene.list, by: ben)
            _ = try await scene.use("edit", #"{"item":"milk","quantity":"2 l"}"#)
            let edit = JournalEntry(
                id: .random(), operation: .edit, item: milk.item, fields: ["quantity": "3 l"], deviceSequence: 2)
            _ = try await scene.service.upload([edit], to: scene.list, by: ben)
            let first = try await scene.use("undo")
            #expect(first.answer?.entries?.isEmpty == true)
            #expect(first.answer?.skipped?.map(\.what) == ["the quantity of 'milk'"])
            #expect(first.answer?.skipped?.map(\.author) == ["ben"])
            #expect(try await scene.items() == ["milk, 3 l", "tea"])
            _ = try await scene.use("undo")
            #expect(try await scene.items() == ["milk, 3 l"])
        }
    }

    @Test("a list is meant by its name, its beginning or its id; without one, the only list is")
    func naming() async throws {
        try await AssistantScene.with { scene in
            #expect(try await !scene.use("show").isError)
            let party = try await scene.service.list(of: scene.anna)
            try await scene.service.rename(party, to: "Party", by: scene.anna)
            let unsaid = try await scene.use("show")
            #expect(unsaid.isError && unsaid.text.contains("Kitchen") && unsaid.text.contains("Party"))
            for name in ["party", "PART", "\(party)"] {
                #expect(try await scene.use("show", #"{"list":"\#(name)"}"#).answer?.id == party, "\(name)")
            }
            let other = try await scene.service.list(of: scene.anna)
            try await scene.service.rename(other, to: "Party in May", by: scene.anna)
            #expect(try await scene.use("show", #"{"list":"party"}"#).answer?.id == party, "the whole name counts more")
            let ambiguous = try await scene.use("add", #"{"items":["x"],"list":"pa"}"#)
            #expect(ambiguous.isError && ambiguous.text.contains("\(party)") && ambiguous.text.contains("\(other)"))
            for name in ["", "Garden", "\(ListID.random())"] {
                let missing = try await scene.use("undo", #"{"list":"\#(name)"}"#)
                #expect(missing.isError && missing.text.contains("There is no list"), "\(name)")
            }
            // Suggestions come from all lists; an item is looked for on all of them.
            _ = try await scene.use("add", #"{"items":["candles"],"list":"Party"}"#)
            let found = try WhereDocument(try await scene.use("where", #"{"item":"cand"}"#).text)
            #expect(found.items.map(\.list) == [party] && found.items.map(\.source) == ["list"])
            _ = try await scene.use("mark_off", #"{"items":["candles"],"list":"Party"}"#)
            let suggested = try await scene.use("suggest", #"{"list":"Kitchen"}"#)
            #expect(suggested.answer?.suggestions?.map(\.text) == ["candles"])
            let here = try WhereDocument(try await scene.use("where", #"{"item":"cand","list":"Kitchen"}"#).text)
            #expect(here.total == 0 && here.isWhole)
        }
    }

    @Test("all lists are shown with what there is to say of them")
    func lists() async throws {
        try await AssistantScene.with { scene in
            let ben = try await scene.service.person("ben")
            let bens = try await scene.service.list(of: ben)
            try await scene.service.rename(bens, to: "Ben's", by: ben)
            try await scene.service.add(scene.anna, to: bens, of: ben)
            _ = try await scene.service.upload([.add("jam", 2), .add("tea", 3)], to: bens, by: ben)
            _ = try await scene.use("mark_off", #"{"items":["tea"],"list":"Ben's"}"#)
            let rows = try #require(try await scene.use("lists").answer?.lists)
            #expect(Set(rows.map(\.name)) == ["Kitchen", "Ben's"])
            let row = try #require(rows.first { $0.id == bens })
            #expect(row.wanted == 1 && row.markedOff == 1 && row.others == 1 && row.owner == "ben")
            // Ben's name for the list and his two items.
            #expect(row.unread == 3)
            #expect(rows.first { $0.id == scene.list }?.owner == nil)
        }
    }

    @Test("what can't be done is said, and changes nothing")
    func refused() async throws {
        try await AssistantScene.with(limits: Limits(entriesPerRequest: 3)) { scene in
            _ = try await scene.use("add", #"{"items":["rye bread","brown bread"]}"#)
            let head = try await scene.entries().count
            for (tool, arguments, said) in [
                ("mark_off", #"{"items":["truffles"]}"#, "truffles"),
                ("mark_off", #"{"items":["bread"]}"#, "1. rye bread\n2. brown bread"),
                ("mark_off", #"{"items":["rye","truffles"]}"#, "truffles"), ("add", #"{"items":[" "," - "]}"#, "blank"),
                ("edit", #"{"item":"rye"}"#, "at least one"), ("edit", #"{"item":"rye","text":" "}"#, "needs a text"),
                ("add", #"{"items":["a","b","c","d"]}"#, "at most 3 entries"),
                ("edit", #"{"item":"rye","note":"\#(String(repeating: "x", count: 5000))"}"#, "4096 bytes"),
                ("add", #"{"items":["x"],"shop":""}"#, "A shop needs a name"),
                ("show", #"{"items":["x"]}"#, "no argument 'items'"),
            ] {
                let answer = try await scene.use(tool, arguments)
                #expect(answer.isError && answer.text.contains(said), "\(tool) \(arguments): \(answer.text)")
            }
            #expect(try await scene.entries().count == head)
        }
    }
}
