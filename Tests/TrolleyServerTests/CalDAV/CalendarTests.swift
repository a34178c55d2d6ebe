import Testing
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import TrolleyServer

@Suite("Lists for CalDAV clients", .timeLimit(.minutes(20)))
struct CalendarTests {
    @Test("a client finds the lists from the host's name alone")
    func discovery() async throws {
        try await CalendarScene.with { scene in
            let start = try await scene.service.call("PROPFIND", "/.well-known/caldav")
            // The test's client follows redirects; without credentials it is asked for them.
            #expect(start.status == 401)
            #expect(start.headers["www-authenticate"] == #"Basic realm="Trolley", charset="UTF-8""#)
            let root = try await scene.propfind("/dav/", depth: "0", "current-user-principal")
            #expect(root.status == 207)
            let principal = "/dav/principals/\(scene.anna.account)/"
            #expect(root.text.contains("<d:current-user-principal><d:href>\(principal)</d:href>"))
            let home = try await scene.propfind(principal, depth: "0", "c:calendar-home-set", "displayname")
            #expect(home.text.contains("<c:calendar-home-set><d:href>/dav/lists/</d:href>"))
            _ = try await scene.service.upload(
                [
                    JournalEntry(
                        id: .random(), operation: .renameList, fields: ["text": "Weekly <shop>"], deviceSequence: 1)
                ],
                to: scene.list, by: scene.anna)
            let lists = try await scene.propfind(
                "/dav/lists/", depth: "1", "resourcetype", "displayname", "c:supported-calendar-component-set",
                "s:getctag", "sync-token", "current-user-privilege-set")
            #expect(lists.text.contains("<d:href>\(scene.path)</d:href>"))
            #expect(lists.text.contains("<d:displayname>Weekly &lt;shop&gt;</d:displayname>"))
            #expect(lists.text.contains(#"<c:comp name="VTODO"/>"#) && lists.text.contains("<s:getctag>urn:x-trolley:"))
            #expect(lists.text.contains("<d:write-content/>"))
            // The home itself is no calendar, or a client would put tasks there.
            #expect(lists.text.matches(of: /<c:calendar\/>/).count == 1)
            let options = try await scene.call("OPTIONS", "/dav/")
            #expect(options.headers["dav"]?.contains("calendar-access") == true)
        }
    }

    @Test("a task becomes an item like any other, and the item a task")
    func roundTrip() async throws {
        try await CalendarScene.with { scene in
            let uid = "6AB6EEA1-6C9E-4CB9-8F9F-D9B17D2F4A44"
            let made = try await scene.put(
                "\(uid).ics", "SUMMARY:2 l milk", "DESCRIPTION:the \\n blue one\\, please",
                "CATEGORIES:Dairy,Breakfast",
                "PRIORITY:5", "X-CUSTOM;X-A=b:kept", "RELATED-TO;RELTYPE=PARENT:groceries", "BEGIN:VALARM",
                "ACTION:DISPLAY", "TRIGGER:-PT15M", "END:VALARM",
                uid: uid, headers: ["if-none-match": "*"])
            #expect(made.status == 201)
            let items = try await scene.items()
            #expect(items.count == 1 && items[0].text == "milk")
            #expect(items[0].fields["quantity"] == "2 l" && items[0].fields["aisle"] == "Dairy")
            #expect(items[0].fields["note"] == "the \n blue one, please")
            let (text, _) = try await scene.get("\(uid).ics")
            for line in [
                "UID:\(uid)", "SUMMARY:2 l milk", "X-TROLLEY-QUANTITY:2 l", "DESCRIPTION:the \\n blue one\\, please",
                "CATEGORIES:Dairy,Breakfast", "STATUS:NEEDS-ACTION", "PRIORITY:5", "X-CUSTOM;X-A=b:kept",
                "RELATED-TO;RELTYPE=PARENT:groceries", "BEGIN:VALARM", "TRIGGER:-PT15M", "END:VALARM",
            ] { #expect(text.contains("\r\n\(line)\r\n"), "\(line)") }
            let activity = try await scene.service.call("GET", Path.activity(scene.list), token: scene.anna.token)
            #expect(try ActivityPage(json: activity.body).activity.map(\.deviceName) == ["Ann's Thunderbird"])
            // An item of another device, at the address of its id.
            let bread = JournalEntry.add("bread")
            _ = try await scene.service.upload([bread], to: scene.list, by: scene.anna)
            let item = try #require(bread.item)
            #expect(try await scene.get("\(item).ics").text.contains("\r\nSUMMARY:bread\r\n"))
        }
    }

    @Test("a client marks off and unmarks, in each of the ways that there are")
    func completing() async throws {
        try await CalendarScene.with { scene in
            for (lines, isMarkedOff) in [
                (["STATUS:NEEDS-ACTION"], false), (["STATUS:COMPLETED", "COMPLETED:20260101T000000Z"], true),
                (["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:100"], false), (["PERCENT-COMPLETE:100"], true), ([], false),
                (["COMPLETED:20260101T000000Z"], true), (["STATUS:IN-PROCESS", "PERCENT-COMPLETE:50"], false),
                (["STATUS:CANCELLED"], true),
            ] {
                let task = CalendarScene.task("task", ["SUMMARY:milk"] + lines)
                #expect(try await scene.call("PUT", scene.path + "a.ics", task).status < 300)
                #expect(try await scene.items().map(\.isMarkedOff) == [isMarkedOff], "\(lines)")
                let text = try await scene.get("a.ics").text
                #expect(
                    text.contains("STATUS:COMPLETED") == isMarkedOff && text.contains("\r\nCOMPLETED:") == isMarkedOff)
                if lines.contains("STATUS:IN-PROCESS") { #expect(text.contains("PERCENT-COMPLETE:50")) }
            }
        }
    }

    @Test("an edit from an old copy changes only what it changed")
    func threeWay() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:milk", "CATEGORIES:Dairy")
            let (_, old) = try await scene.get("a.ics")
            // Somebody else renames the item and marks it off.
            try await scene.put(
                "a.ics", "SUMMARY:oat milk", "CATEGORIES:Dairy", "STATUS:COMPLETED", headers: ["if-match": old])
            let merged = try await scene.put(
                "a.ics", "SUMMARY:milk", "CATEGORIES:Dairy", "DESCRIPTION:two if cheap", headers: ["if-match": old])
            #expect(merged.status == 204)
            let items = try await scene.items()
            #expect(items[0].text == "oat milk" && items[0].isMarkedOff)
            #expect(items[0].fields["note"] == "two if cheap")
            // A copy that can't be known is refused.
            for etag in [#""other""#, #""ffff-1""#, #"W/"x""#] {
                let refused = try await scene.put("a.ics", "SUMMARY:x", headers: ["if-match": etag])
                #expect(refused.status == 412, "\(etag)")
            }
            #expect(try await scene.put("a.ics", "SUMMARY:x", headers: ["if-none-match": "*"]).status == 412)
            #expect(try await scene.put("b.ics", "SUMMARY:x", uid: "b", headers: ["if-match": "*"]).status == 412)
            #expect(try await scene.items().map(\.text) == ["oat milk"])
        }
    }

    @Test("an edit of an item that somebody deleted meanwhile brings it back; a deletion of an old copy is refused")
    func deleting() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:milk")
            let (_, old) = try await scene.get("a.ics")
            try await scene.put("a.ics", "SUMMARY:oat milk")
            #expect(try await scene.call("DELETE", scene.path + "a.ics", headers: ["if-match": old]).status == 412)
            let (_, etag) = try await scene.get("a.ics")
            #expect(try await scene.call("DELETE", scene.path + "a.ics", headers: ["if-match": etag]).status == 204)
            #expect(try await scene.call("DELETE", scene.path + "a.ics").status == 404)
            #expect(try await scene.call("GET", scene.path + "a.ics").status == 404)
            let wanted = try await scene.put("a.ics", "SUMMARY:oat milk, 2 l", headers: ["if-match": etag])
            #expect(wanted.status == 204)
            #expect(try await scene.items().map(\.text) == ["oat milk"])
            #expect(try await scene.items()[0].fields["quantity"] == "2 l")
        }
    }

    @Test("a task that is written again after its deletion has nothing of what it had")
    func rewritten() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:2 l milk", "DESCRIPTION:old", "CATEGORIES:Dairy", "PRIORITY:1")
            try await scene.call("DELETE", scene.path + "a.ics")
            #expect(try await scene.put("a.ics", "SUMMARY:milk", headers: ["if-none-match": "*"]).status == 201)
            let items = try await scene.items()
            #expect(items.count == 1 && items[0].fields["note"] == nil && items[0].fields["quantity"] == nil)
            #expect(try await !scene.get("a.ics").text.contains("PRIORITY"))
        }
    }

    @Test("a repeated PUT adds nothing, and its entries are numbered without gaps")
    func repeated() async throws {
        try await CalendarScene.with { scene in
            for _ in 0..<3 { try await scene.put("a.ics", "SUMMARY:milk", "STATUS:COMPLETED") }
            try await scene.put("b.ics", "SUMMARY:bread", uid: "b")
            let entries = try await scene.service.changes(scene.list, for: scene.anna).entries
            #expect(entries.map(\.entry.operation) == [.add, .markOff, .add])
            #expect(entries.map(\.entry.deviceSequence) == [1, 2, 3])
            #expect(entries[0].entry.batch != nil && entries[0].entry.batch == entries[1].entry.batch)
        }
    }

    @Test("quantities are shown in the summary, and read from it, and survive a client that drops ours")
    func quantities() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:2 l milk")
            // Another property changes; the client dropped X-TROLLEY-QUANTITY.
            try await scene.put("a.ics", "SUMMARY:2 l milk", "DESCRIPTION:fresh")
            #expect(try await scene.items()[0].fields["quantity"] == "2 l")
            // It kept the property, and the person wrote another quantity.
            try await scene.put("a.ics", "SUMMARY:3 l milk", "X-TROLLEY-QUANTITY:2 l")
            #expect(try await scene.items()[0].fields["quantity"] == "3 l")
            // The person removed it.
            try await scene.put("a.ics", "SUMMARY:milk", "X-TROLLEY-QUANTITY:3 l")
            #expect(try await scene.items()[0].fields["quantity"] == nil)
            #expect(try await scene.items()[0].text == "milk")
            // A quantity that the summary can't show is in the property only.
            let odd = JournalEntry(
                id: .random(), operation: .add, item: .random(), fields: ["text": "salt", "quantity": "some"],
                deviceSequence: 1)
            _ = try await scene.service.upload([odd], to: scene.list, by: scene.anna)
            let name = "\(try #require(odd.item)).ics"
            let text = try await scene.get(name).text
            #expect(text.contains("\r\nSUMMARY:salt\r\n") && text.contains("\r\nX-TROLLEY-QUANTITY:some\r\n"))
            try await scene.put(name, "SUMMARY:sea salt", uid: String(name.dropLast(4)))
            let salt = try #require(try await scene.items().first { $0.text == "sea salt" })
            #expect(salt.fields["quantity"] == "some")
        }
    }

    @Test("a client's order of tasks moves items, and items keep their numbers when others move")
    func order() async throws {
        try await CalendarScene.with { scene in
            for name in ["milk", "bread", "salt"] { try await scene.put("\(name).ics", "SUMMARY:\(name)", uid: name) }
            func numbers() async throws -> [String: Int] {
                var numbers: [String: Int] = [:]
                for name in ["milk", "bread", "salt"] {
                    let text = try await scene.get("\(name).ics").text
                    let number = try #require(text.firstMatch(of: /X-APPLE-SORT-ORDER:(-?\d+)/)?.output.1)
                    numbers[name] = Int(number)
                }
                return numbers
            }
            let before = try await numbers()
            let (milk, bread) = (try #require(before["milk"]), try #require(before["bread"]))
            #expect(milk < bread)
            try await scene.put("salt.ics", "SUMMARY:salt", "X-APPLE-SORT-ORDER:\(milk - 5)", uid: "salt")
            #expect(try await scene.items().map(\.text) == ["salt", "milk", "bread"])
            let after = try await numbers()
            #expect(after["milk"] == milk && after["bread"] == bread)
            // The same number again is no move.
            let head = try await scene.service.changes(scene.list, for: scene.anna).changes.count
            let salt = try #require(after["salt"])
            try await scene.put("salt.ics", "SUMMARY:salt", "X-APPLE-SORT-ORDER:\(salt)", uid: "salt")
            #expect(try await scene.service.changes(scene.list, for: scene.anna).changes.count == head)
            try await scene.put("new.ics", "SUMMARY:new", "X-APPLE-SORT-ORDER:\(milk)", uid: "new")
            #expect(try await scene.items().map(\.text) == ["salt", "milk", "new", "bread"])
        }
    }

    @Test("new tasks with numbers of a client's own stand in their order, and a phone's next task below them")
    func ownNumbers() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("bread.ics", "SUMMARY:bread", uid: "bread")
            for (name, number) in [("plums", 1), ("pears", 2), ("figs", 0)] {
                try await scene.put("\(name).ics", "SUMMARY:\(name)", "X-APPLE-SORT-ORDER:\(number)", uid: name)
                #expect(try await scene.get("\(name).ics").text.contains("\r\nX-APPLE-SORT-ORDER:\(number)\r\n"))
            }
            // A phone counts the seconds since 2001; its clock may be ahead.
            let seconds = HostedClock.now().wall.milliseconds / 1000 - 978_307_200
            try await scene.put("phone.ics", "SUMMARY:phone", "X-APPLE-SORT-ORDER:\(seconds + 90)", uid: "phone")
            let texts = ["figs", "plums", "pears", "bread", "phone"]
            #expect(try await scene.items().map(\.text) == texts)
            // What the client sends back with its number isn't moved, and a deleted task comes back by its new one.
            try await scene.put("plums.ics", "SUMMARY:plums", "X-APPLE-SORT-ORDER:1", "DESCRIPTION:x", uid: "plums")
            #expect(try await scene.items().map(\.text) == texts)
            try await scene.call("DELETE", scene.path + "figs.ics")
            try await scene.put("figs.ics", "SUMMARY:figs", "X-APPLE-SORT-ORDER:3", uid: "figs")
            #expect(try await scene.items().map(\.text) == ["plums", "pears", "figs", "bread", "phone"])
        }
    }
}
