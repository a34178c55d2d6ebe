import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// What people's clients have met on other servers. The numbers are those of the reports.
@Suite("What task apps do", .timeLimit(.minutes(20)))
struct CalendarClientTests {
    private static let namespaces =
        "xmlns:A='DAV:' xmlns:B='urn:ietf:params:xml:ns:caldav' xmlns:C='http://calendarserver.org/ns/' xmlns:D='http://apple.com/ns/ical/'"

    /// As an iPhone asks: briefly, and for what is there only.
    private static func phone(_ depth: String, _ more: [String: String] = [:]) -> [String: String] {
        ["depth": depth, "brief": "t", "prefer": "return=minimal", "content-type": "text/xml"]
            .merging(more) { _, given in given }
    }

    private static func propfind(_ properties: String...) -> String {
        "<A:propfind \(namespaces)><A:prop>\(properties.map { "<\($0)/>" }.joined())</A:prop></A:propfind>"
    }

    private static func etag(of name: String, in text: String) -> String? {
        text.split(separator: "<d:response>").first { $0.contains("/\(name)</d:href>") }?
            .firstMatch(of: /<d:getetag>([^<]*)</).map { String($0.output.1).replacing("&quot;", with: "\"") }
    }

    @Test("an iPhone's requests, from the account's form to an edited task (go-webdav 150, vikunja 2847)")
    func iPhone() async throws {
        try await CalendarScene.with { scene in
            let start = try await scene.call(
                "PROPFIND", "/dav/", Self.propfind("A:current-user-principal", "A:principal-URL", "A:resourcetype"),
                headers: Self.phone("0"))
            let principal = "/dav/principals/\(scene.anna.account)/"
            #expect(start.status == 207 && start.text.contains("<d:href>\(principal)</d:href>"))
            #expect(!start.text.contains("404 Not Found") && start.headers["dav"]?.contains("calendar-access") == true)
            let options = try await scene.call("OPTIONS", principal)
            #expect(options.status == 200 && options.headers["dav"]?.contains("calendar-access") == true)
            let home = try await scene.call(
                "PROPFIND", principal,
                Self.propfind(
                    "B:calendar-home-set", "B:calendar-user-address-set", "A:current-user-principal", "A:displayname",
                    "C:dropbox-home-URL", "C:email-address-set", "C:notification-URL", "A:principal-collection-set",
                    "A:principal-URL", "A:resource-id", "B:schedule-inbox-URL", "B:schedule-outbox-URL",
                    "A:supported-report-set"), headers: Self.phone("0"))
            #expect(home.text.contains("<c:calendar-home-set><d:href>/dav/lists/</d:href>"))
            let lists = try await scene.call(
                "PROPFIND", "/dav/lists/",
                Self.propfind(
                    "A:add-member", "D:autoprovisioned", "D:calendar-color", "B:calendar-description",
                    "B:calendar-free-busy-set", "D:calendar-order", "B:calendar-timezone",
                    "A:current-user-privilege-set", "B:default-alarm-vevent-date", "A:displayname", "C:getctag",
                    "A:owner", "C:pushkey", "A:quota-used-bytes", "D:refreshrate", "A:resource-id", "A:resourcetype",
                    "B:supported-calendar-component-set", "B:supported-calendar-component-sets",
                    "A:supported-report-set", "A:sync-token"), headers: Self.phone("1"))
            #expect(lists.status == 207 && lists.text.contains("<d:href>\(scene.path)</d:href>"))
            // The missing ones aren't told.
            #expect(lists.text.contains("<d:sync-token>") && !lists.text.contains("quota-used-bytes"))
            let order = try await scene.call(
                "PROPPATCH", scene.path,
                "<A:propertyupdate \(Self.namespaces)><A:set><A:prop><D:calendar-order>1</D:calendar-order></A:prop></A:set></A:propertyupdate>",
                headers: Self.phone("0"))
            #expect(order.status == 207)
            // A new task, an edit of the copy with its etag, and a mark.
            let uid = "6AB6EEA1-6C9E-4CB9-8F9F-D9B17D2F4A44"
            let made = try await scene.put(
                "\(uid).ics", "SUMMARY:milk", "X-APPLE-SORT-ORDER:786000000", uid: uid,
                headers: ["if-none-match": "*"])
            #expect(made.status == 201)
            for lines in [["DESCRIPTION:two", "STATUS:NEEDS-ACTION"], ["DESCRIPTION:two", "STATUS:COMPLETED"]] {
                let task = CalendarScene.task(uid, ["SUMMARY:milk"] + lines)
                let etag = try await scene.get("\(uid).ics").etag
                let edited = try await scene.call(
                    "PUT", scene.path + "\(uid).ics", task, headers: ["if-match": etag])
                #expect(edited.status == 204, "\(edited.text)")
            }
            let items = try await scene.items()
            #expect(items.count == 1 && items[0].fields["note"] == "two" && items[0].isMarkedOff)
        }
    }

    @Test("a client that compares tags sees what others change, and which task it was (vikunja 2401 and 2658)")
    func tags() async throws {
        try await CalendarScene.with { scene in
            for name in ["milk", "bread"] { try await scene.put("\(name).ics", "SUMMARY:\(name)", uid: name) }
            func tags() async throws -> [String] {
                let answer = try await scene.propfind("/dav/lists/", depth: "1", "s:getctag", "sync-token")
                return ["s:getctag", "d:sync-token"].map { tag in
                    String(answer.text.split(separator: "<\(tag)>").last?.prefix { $0 != "<" } ?? "")
                }
            }
            func etags() async throws -> [String?] {
                let answer = try await scene.propfind(scene.path, depth: "1", "getetag")
                return ["milk.ics", "bread.ics"].map { Self.etag(of: $0, in: answer.text) }
            }
            let (before, old) = (try await tags(), try await etags())
            #expect(try await tags() == before && !old.contains(nil))
            let milk = try #require(
                try await scene.service.changes(scene.list, for: scene.anna).entries.first?.entry.item)
            _ = try await scene.service.upload(
                [JournalEntry(id: .random(), operation: .markOff, item: milk, deviceSequence: 1)], to: scene.list,
                by: scene.anna)
            let (after, new) = (try await tags(), try await etags())
            #expect(after[0] != before[0] && after[1] != before[1])
            #expect(new[0] != old[0] && new[1] == old[1])
        }
    }

    @Test("finished tasks are in their own list only (vikunja 3482)")
    func finished() async throws {
        try await CalendarScene.with { scene in
            #expect(try await scene.call("MKCALENDAR", "/dav/lists/party/").status == 201)
            try await scene.put("milk.ics", "SUMMARY:milk", "STATUS:COMPLETED")
            let query =
                "<B:calendar-query \(Self.namespaces)><A:prop><A:getetag/></A:prop><B:filter><B:comp-filter name='VCALENDAR'><B:comp-filter name='VTODO'/></B:comp-filter></B:filter></B:calendar-query>"
            let own = try await scene.call("REPORT", scene.path, query, headers: ["depth": "1"])
            #expect(own.text.contains("milk.ics"))
            let other = try await scene.call("REPORT", "/dav/lists/party/", query, headers: ["depth": "1"])
            #expect(other.status == 207 && !other.text.contains(".ics"))
        }
    }

    @Test("a list is at one address, and stays there (vikunja 51)")
    func addresses() async throws {
        try await CalendarScene.with { scene in
            #expect(try await scene.call("MKCALENDAR", "/dav/lists/\(ListID.random())/").status == 201)
            func addresses() async throws -> [String] {
                let answer = try await scene.propfind("/dav/lists/", depth: "1", "resourcetype")
                return answer.text.split(separator: "<d:response>").filter { $0.contains("<c:calendar/>") }
                    .compactMap { $0.firstMatch(of: /<d:href>([^<]*)</).map { String($0.output.1) } }
            }
            let first = try await addresses()
            #expect(first.count == 2 && Set(first).count == 2)
            #expect(try await addresses() == first)
        }
    }

    @Test("a task has no name and no type of a list's, so that no client takes it for one (planify 1820)")
    func types() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("milk.ics", "SUMMARY:milk")
            let answer = try await scene.propfind(scene.path, depth: "1", "displayname", "resourcetype")
            let responses = answer.text.split(separator: "<d:response>").dropFirst()
            let task = try #require(responses.first { $0.contains("milk.ics") })
            #expect(task.contains("<d:resourcetype/>") && task.contains("<d:displayname/>"))
            #expect(responses.filter { $0.contains("<c:calendar/>") }.count == 1)
            // What a sync tells is about tasks, not about the list.
            let synced = try await scene.sync("")
            #expect(synced.text.matches(of: /<d:href>/).count == 1 && synced.text.contains("milk.ics</d:href>"))
        }
    }

    @Test("a task app that sends all its tasks at once, and each twice, makes each task once")
    func many() async throws {
        try await CalendarScene.with { scene in
            let count = 100
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        // Two lanes send the same.
                        for number in stride(from: lane / 2, to: count, by: 2) {
                            let answer = try await scene.put(
                                "\(number).ics", "SUMMARY:thing\(number)", uid: "uid-\(number)")
                            #expect(answer.status == 201 || answer.status == 204, "\(answer.text)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let items = try await scene.items()
            #expect(items.count == count && Set(items.map(\.text)).count == count)
            let entries = try await scene.service.changes(scene.list, for: scene.anna, limit: 1000).entries
            #expect(entries.map(\.entry.deviceSequence) == (1...Int64(count)).map { $0 })
        }
    }
}
