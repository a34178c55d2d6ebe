import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// Clients that write without `If-Match`, as evolution-data-server does (decision 3212).
@Suite("Old copies without an etag", .timeLimit(.minutes(20)))
struct CalendarVersionTests {
    /// A list with milk above bread, and the client's copy of milk: its version's line and its number's line.
    private static func withMilk(
        _ body: (CalendarScene, _ milk: ItemID, _ version: String, _ order: String) async throws -> Void
    ) async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:milk", "CATEGORIES:Dairy")
            try await scene.put("b.ics", "SUMMARY:bread", uid: "b")
            let entries = try await scene.service.changes(scene.list, for: scene.anna).entries
            let milk = try #require(entries.first?.entry.item)
            let text = try await scene.get("a.ics").text
            try await body(
                scene, milk, try #require(line("X-TROLLEY-VERSION", in: text)),
                try #require(line("X-APPLE-SORT-ORDER", in: text)))
        }
    }

    private static func line(_ name: String, in text: String) -> String? {
        text.split(separator: "\r\n").first { $0.hasPrefix(name + ":") }.map { String($0) }
    }

    /// Anna changes an item on another device.
    private static func change(
        _ scene: CalendarScene, _ item: ItemID, _ operation: Operation, _ fields: Fields = [:], after: ItemID? = nil,
        number: Int64 = 1
    ) async throws {
        let entry = JournalEntry(
            id: .random(), operation: operation, item: item, after: after, fields: fields, deviceSequence: number)
        _ = try await scene.service.upload([entry], to: scene.list, by: scene.anna)
    }

    @Test(
        "a client that sends the version back changes only what it changed, and doesn't move the item back",
        arguments: [false, true])
    func merged(hasEtag: Bool) async throws {
        try await Self.withMilk { scene, milk, version, order in
            let (_, etag) = try await scene.get("a.ics")
            let headers = hasEtag ? ["if-match": etag] : [:]
            let bread = try #require(
                try await scene.service.changes(scene.list, for: scene.anna).entries.last?.entry.item)
            try await Self.change(scene, milk, .edit, ["note": "two if cheap"])
            try await Self.change(scene, milk, .move, after: bread, number: 2)
            #expect(try await scene.items().map(\.text) == ["bread", "milk"])
            let answer = try await scene.put(
                "a.ics", "SUMMARY:oat milk", "CATEGORIES:Dairy", version, order, headers: headers)
            #expect(answer.status == 204, "\(answer.text)")
            let items = try await scene.items()
            #expect(items.map(\.text) == ["bread", "oat milk"])
            #expect(items.last?.fields["note"] == "two if cheap" && items.last?.fields["aisle"] == "Dairy")
            // It isn't kept as one of the client's own properties.
            #expect(items.last?.fields["icalendar"] == nil)
            let text = try await scene.get("a.ics").text
            #expect(text.matches(of: /X-TROLLEY-VERSION/).count == 1 && !text.contains(version))
        }
    }

    @Test("a client that drops the version writes all of its task, as before")
    func dropped() async throws {
        try await Self.withMilk { scene, milk, _, _ in
            try await Self.change(scene, milk, .edit, ["note": "two if cheap"])
            try await scene.put("a.ics", "SUMMARY:oat milk", "CATEGORIES:Dairy")
            let item = try #require(try await scene.items().first)
            #expect(item.text == "oat milk" && item.fields["note"] == nil)
        }
    }

    @Test("a client that writes again without reading takes its own edit back, and nobody else's")
    func again() async throws {
        try await Self.withMilk { scene, milk, version, order in
            let steps = [
                (["SUMMARY:oat milk", "STATUS:COMPLETED"], "oat milk", true),
                (["SUMMARY:milk", "STATUS:NEEDS-ACTION"], "milk", false),
            ]
            for (step, (lines, text, isMarkedOff)) in steps.enumerated() {
                try await Self.change(
                    scene, milk, .edit, ["note": .string("note \(step)")], number: Int64(step) + 1)
                let task = CalendarScene.task("task", lines + ["CATEGORIES:Dairy", version, order])
                #expect(try await scene.call("PUT", scene.path + "a.ics", task).status == 204)
                let item = try #require(try await scene.items().first)
                #expect(item.text == text && item.isMarkedOff == isMarkedOff)
                #expect(item.fields["note"] == "note \(step)")
            }
            // It moves the item down and up again, the same way.
            let below = try #require(Self.line("X-APPLE-SORT-ORDER", in: try await scene.get("b.ics").text))
            for (number, texts) in [(below, ["bread", "milk"]), (order, ["milk", "bread"])] {
                let task = CalendarScene.task("task", ["SUMMARY:milk", "CATEGORIES:Dairy", version, number])
                #expect(try await scene.call("PUT", scene.path + "a.ics", task).status == 204)
                #expect(try await scene.items().map(\.text) == texts)
            }
        }
    }

    @Test("a version of another item, of another list, of another epoch, of later, or made up counts as none")
    func others() async throws {
        try await Self.withMilk { scene, milk, version, _ in
            let bread = try #require(Self.line("X-TROLLEY-VERSION", in: try await scene.get("b.ics").text))
            // In another list, a task with the same UID is an item with the same id.
            let uid = "6ab6eea1-6c9e-4cb9-8f9f-d9b17d2f4a44"
            let list = try await scene.service.list(of: scene.anna)
            let other = CalendarScene(service: scene.service, anna: scene.anna, list: list, token: scene.token)
            for number in 1...3 { try await other.put("\(number).ics", "SUMMARY:\(number)", uid: "\(number)") }
            for each in [scene, other] { try await each.put("c.ics", "SUMMARY:milk", uid: uid) }
            let elsewhere = try #require(Self.line("X-TROLLEY-VERSION", in: try await other.get("c.ics").text))
            let item = try #require(ItemID(uid))
            let text = try #require(version.split(separator: ":").last?.split(separator: "/").first)
            let read = try #require(ItemVersion(text))
            func made(_ epoch: UInt64, _ sequence: SequenceNumber) -> String {
                let forged = TaskVersion(ItemVersion(epoch: epoch, sequence: sequence), order: 0)
                return "X-TROLLEY-VERSION:\(forged.text(of: milk, in: scene.list))"
            }
            let tries = [
                (milk, "a.ics", "task", bread), (milk, "a.ics", "task", version + "0"),
                (milk, "a.ics", "task", made(read.epoch ^ 1, read.sequence)),
                (milk, "a.ics", "task", made(read.epoch, read.sequence.advanced(by: 1000))),
                (milk, "a.ics", "task", "X-TROLLEY-VERSION:"), (milk, "a.ics", "task", "X-TROLLEY-VERSION:1-1/1/1"),
                (item, "c.ics", uid, elsewhere),
            ]
            for (number, (item, name, uid, line)) in tries.enumerated() {
                try await Self.change(scene, item, .edit, ["note": "two if cheap"], number: Int64(number) + 1)
                let answer = try await scene.put(name, "SUMMARY:soup", line, uid: uid)
                #expect(answer.status == 204, "\(line): \(answer.text)")
                let written = try await scene.get(name).text
                #expect(written.contains("\r\nSUMMARY:soup\r\n") && !written.contains("DESCRIPTION"), "\(line)")
            }
            // The check above can fail: with its own version, an edit stays.
            try await Self.change(scene, milk, .edit, ["note": "three"], number: Int64(tries.count) + 1)
            try await scene.put("a.ics", "SUMMARY:tea", version)
            #expect(try await scene.get("a.ics").text.contains("\r\nDESCRIPTION:three\r\n"))
        }
    }
}
