import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Export over HTTP", .timeLimit(.minutes(20)))
struct ExportRouteTests {
    @Test("the answer is one complete file with all of the account's lists")
    func whole() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            var lists: [ListID] = []
            for number in 1...12 {
                let list = try await service.list(of: anna)
                _ = try await service.upload([.add("item \(number)")], to: list, by: anna)
                lists.append(list)
            }
            _ = try await service.upload([.add("of Ben's")], to: try await service.list(of: ben), by: ben)
            let answer = try await service.call("GET", Path.export, token: anna.token)
            #expect(answer.status == 200 && answer.headers["content-disposition"]?.contains("attachment") == true)
            let document = try ImportDocument(json: answer.body)
            #expect(Set(document.lists.map(\.id)) == Set(lists))
            #expect(Set(document.lists.flatMap { $0.state.items.map(\.text) }) == Set((1...12).map { "item \($0)" }))
            #expect(answer.text.contains(#""email":"anna@example.com""#) && !answer.text.contains("Ben's"))
            #expect(try await service.call("GET", Path.export).outcome == "401 notAuthenticated")
        }
    }

    @Test("the file says what the person wants to be told, and where, without secrets and keys")
    func notifications() async throws {
        try await PushScene.with { scene in
            let secret = try #require(try await scene.webhook("https://hooks.example.com/x", of: scene.ben).secret)
            let browser = TestBrowser()
            _ = try await scene.subscribe(browser, to: "https://push.example.net/capability", by: scene.ben)
            try await scene.service.call(
                "PUT", Path.notifications(scene.list), token: scene.ben.token, json: #"{"level":"all"}"#)
            let text = try await scene.service.call("GET", Path.export, token: scene.ben.token).text
            #expect(text.contains(#""url":"https://hooks.example.com/x","content":false"#))
            #expect(text.contains(#""host":"push.example.net","content":false"#))
            #expect(text.contains(#""levels":[{"list":"\#(scene.list)","level":"all"}]"#))
            for secret in [secret, String(secret.dropFirst(6)), "capability", "p256dh", "auth\"", "secret"] {
                #expect(!text.contains(secret))
            }
            #expect(try ImportDocument(json: Array(text.utf8)).lists.count == 1)
            let annas = try await scene.service.call("GET", Path.export, token: scene.anna.token).text
            #expect(
                annas.contains(#""notifications":{"webhooks":[],"pushSubscriptions":[],"programs":[],"levels":[]}"#),
                "it is Ben's")
        }
    }

    @Test("the file contains unknown fields and compressed entries")
    func everything() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            var (milk, jam) = (JournalEntry.add("milk", 1), JournalEntry.add("jam", 2))
            milk.fields["barcode"] = "4006381333931"
            milk.fields["price"] = .json(#"{"amount":129,"currency":"EUR"}"#)
            jam.fields["origin"] = "Spreewald"
            let gone = JournalEntry(id: .random(), operation: .delete, item: jam.item, deviceSequence: 3)
            _ = try await service.upload([milk, jam, gone], to: list, by: anna)
            let store = service.service.store
            let later = try await store.now().advanced(byMilliseconds: 1)
            #expect(try await store.compress(list, olderThan: later)?.discarded == 2)

            let answer = try await service.call("GET", Path.export, token: anna.token)
            let document = try ImportDocument(json: answer.body)
            #expect(document.lists.map(\.state.items) == [[Item(id: try #require(milk.item), fields: milk.fields)]])
            // Once in the state, once in the journal.
            #expect(answer.text.split(separator: #""barcode":"4006381333931""#).count == 3)
            #expect(answer.text.split(separator: #""origin":"Spreewald""#).count == 2)
            #expect(answer.text.contains(#""operation":"delete""#))
        }
    }
}
