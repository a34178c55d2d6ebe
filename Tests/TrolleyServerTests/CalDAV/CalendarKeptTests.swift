import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Writes of task apps to long lists", .timeLimit(.minutes(20)))
struct CalendarKeptTests {
    @Test("a new task, a changed one and a deletion read what came since the last write, and not the list")
    func unread() async throws {
        try await CalendarScene.with { scene in
            for name in ["a", "b", "c"] {
                let made = try await scene.put(
                    "\(name).ics", "SUMMARY:\(name)", uid: name, headers: ["if-none-match": "*"])
                #expect(made.status == 201)
            }
            let (_, etag) = try await scene.get("b.ics")
            // What nothing but a fault of the disk does: it shows who reads the first entry. Now the item has the address d.ics.
            _ = try await scene.service.pool.withConnection { connection in
                try await connection.execute(
                    """
                    UPDATE entry
                    SET fields = (fields::jsonb || '{"icalendarName": "d.ics"}')::json
                    WHERE list_id = \(scene.list) AND operation = 'add' AND fields ->> 'text' = 'a'
                    """)
            }
            #expect(try await scene.call("GET", scene.path + "d.ics").status == 200)
            let made = try await scene.put("d.ics", "SUMMARY:d", uid: "d", headers: ["if-none-match": "*"])
            #expect(made.status == 201, "\(made.text)")
            let changed = try await scene.put(
                "b.ics", "SUMMARY:b", "DESCRIPTION:two", uid: "b", headers: ["if-match": etag])
            #expect(changed.status == 204, "\(changed.text)")
            #expect(try await scene.call("DELETE", scene.path + "a.ics").status == 204)
            #expect(try await scene.items().map(\.text) == ["b", "c", "d"])
        }
    }

    @Test("an old copy is merged and its deletion refused, also when somebody else and a compression came between")
    func between() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:milk", "CATEGORIES:Dairy")
            try await scene.put("b.ics", "SUMMARY:bread", uid: "b")
            let (_, old) = try await scene.get("a.ics")
            let item = try #require(
                try await scene.service.changes(scene.list, for: scene.anna).entries.first?.entry.item)
            let renamed = [("soy milk", Int64(1)), ("oat milk", 2)].map { text, number in
                JournalEntry(
                    id: .random(), operation: .edit, item: item, fields: ["text": .string(text)], deviceSequence: number
                )
            }
            _ = try await scene.service.upload(renamed, to: scene.list, by: scene.anna)
            #expect(try await scene.call("DELETE", scene.path + "a.ics", headers: ["if-match": old]).status == 412)
            let merged = try await scene.put(
                "a.ics", "SUMMARY:milk", "CATEGORIES:Dairy", "DESCRIPTION:two", headers: ["if-match": old])
            #expect(merged.status == 204)
            let store = scene.service.service.store
            let cutOff = try await store.now().advanced(byMilliseconds: 1)
            #expect(try await store.compress(scene.list, olderThan: cutOff)?.discarded == 1)
            let again = try await scene.put(
                "a.ics", "SUMMARY:milk", "CATEGORIES:Dairy", "DESCRIPTION:two", "STATUS:COMPLETED",
                headers: ["if-match": old])
            #expect(again.status == 204)
            let milk = try #require(try await scene.items().first)
            #expect(milk.text == "oat milk" && milk.fields["note"] == "two" && milk.isMarkedOff)
            // The same UID at another address is still refused.
            let taken = try await scene.put("c.ics", "SUMMARY:x", headers: ["if-none-match": "*"])
            #expect(taken.status == 403 && taken.text.contains("a.ics"))
        }
    }
}
