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
        [
            "depth": depth, "brief": "t", "prefer": "return=minimal", "content-type": "text/xml", "accept": "*/*",
            "accept-language": "en-GB,en;q=0.9", "user-agent": "iOS/18.1.1 (22B91) dataaccessd/1.0",
        ].merging(more) { _, given in given }
    }

    /// Each property of another namespace than `DAV:` declares it, as an iPhone writes them.
    private static func properties(_ names: [String]) -> String {
        let others = [
            "B": "urn:ietf:params:xml:ns:caldav", "C": "http://calendarserver.org/ns/",
            "D": "http://apple.com/ns/ical/", "E": "http://me.com/_namespace/",
        ]
        return names.map { name in
            let declaration = others[String(name.prefix(1))].map { " xmlns:\(name.prefix(1))=\"\($0)\"" } ?? ""
            return "    <\(name)\(declaration)/>\n"
        }.joined()
    }

    private static func propfind(_ names: String...) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<A:propfind xmlns:A=\"DAV:\">\n  <A:prop>\n"
            + properties(names) + "  </A:prop>\n</A:propfind>\n"
    }

    private static func sync(_ token: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<A:sync-collection xmlns:A=\"DAV:\">\n"
            + "  <A:sync-token>\(token)</A:sync-token>\n  <A:sync-level>1</A:sync-level>\n  <A:prop>\n"
            + properties(["A:getcontenttype", "A:getetag"]) + "  </A:prop>\n</A:sync-collection>\n"
    }

    private static func multiget(_ path: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<B:calendar-multiget xmlns:B=\"urn:ietf:params:xml:ns:caldav\">\n  <A:prop xmlns:A=\"DAV:\">\n"
            + properties(["A:getetag", "B:calendar-data", "B:schedule-tag", "C:created-by", "C:updated-by"])
            + "  </A:prop>\n  <A:href xmlns:A=\"DAV:\">\(path)</A:href>\n</B:calendar-multiget>\n"
    }

    private static func etag(of name: String, in text: String) -> String? {
        text.split(separator: "<d:response>").first { $0.contains("/\(name)</d:href>") }?
            .firstMatch(of: /<d:getetag>([^<]*)</).map { String($0.output.1).replacing("&quot;", with: "\"") }
    }

    @Test("an iPhone's requests, from the account's form to an edited task (go-webdav 150, vikunja 2847)")
    func iPhone() async throws {
        try await CalendarScene.with { scene in
            let principal = "/dav/principals/\(scene.anna.account)/"
            for path in ["/.well-known/caldav", "/dav/", principal] {
                let start = try await scene.call(
                    "PROPFIND", path, Self.propfind("A:current-user-principal", "A:principal-URL", "A:resourcetype"),
                    headers: Self.phone("0"))
                #expect(start.status == 207 && start.text.contains("<d:href>\(principal)</d:href>"), "\(path)")
                #expect(!start.text.contains("404 Not Found"), "\(path)")
                #expect(start.headers["dav"]?.contains("calendar-access") == true, "\(path)")
            }
            let options = try await scene.call("OPTIONS", principal, headers: Self.phone("0"))
            #expect(options.status == 200 && options.headers["dav"]?.contains("calendar-access") == true)
            let home = try await scene.call(
                "PROPFIND", principal,
                Self.propfind(
                    "B:calendar-home-set", "B:calendar-user-address-set", "A:current-user-principal", "A:displayname",
                    "C:dropbox-home-URL", "C:email-address-set", "C:notification-URL", "A:principal-collection-set",
                    "A:principal-URL", "A:resource-id", "B:schedule-inbox-URL", "B:schedule-outbox-URL",
                    "A:supported-report-set"), headers: Self.phone("0"))
            #expect(home.text.contains("<c:calendar-home-set><d:href>/dav/lists/</d:href>"))
            #expect(home.status == 207 && !home.text.contains("404 Not Found"))
            let lists = try await scene.call(
                "PROPFIND", "/dav/lists/",
                Self.propfind(
                    "A:add-member", "C:allowed-sharing-modes", "D:autoprovisioned", "E:bulk-requests",
                    "B:calendar-alarm", "D:calendar-color", "B:calendar-description", "B:calendar-free-busy-set",
                    "D:calendar-order", "B:calendar-timezone", "A:current-user-privilege-set",
                    "B:default-alarm-vevent-date", "B:default-alarm-vevent-datetime", "A:displayname", "C:getctag",
                    "C:invite", "D:language-code", "D:location-code", "A:owner", "C:pre-publish-url", "C:publish-url",
                    "C:push-transports", "C:pushkey", "A:quota-available-bytes", "A:quota-used-bytes",
                    "D:refreshrate", "A:resource-id", "A:resourcetype", "B:schedule-calendar-transp",
                    "B:schedule-default-calendar-URL", "C:source", "C:subscribed-strip-alarms",
                    "C:subscribed-strip-attachments", "C:subscribed-strip-todos",
                    "B:supported-calendar-component-set", "B:supported-calendar-component-sets",
                    "A:supported-report-set", "A:sync-token"), headers: Self.phone("1"))
            #expect(lists.status == 207 && lists.text.contains("<d:href>\(scene.path)</d:href>"))
            // The missing ones aren't told.
            #expect(lists.text.contains("<d:sync-token>") && !lists.text.contains("quota-used-bytes"))
            #expect(!lists.text.contains("404 Not Found"))
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
                let etag = try await scene.get("\(uid).ics").etag
                let edited = try await scene.put(
                    "\(uid).ics", ["SUMMARY:milk"] + lines, uid: uid,
                    headers: Self.phone("0", ["if-match": etag, "content-type": "text/calendar"]))
                #expect(edited.status == 204, "\(edited.text)")
            }
            let items = try await scene.items()
            #expect(items.count == 1 && items[0].fields["note"] == "two" && items[0].isMarkedOff)
        }
    }

    @Test("an iPhone's edit of the copy that it has loses neither it nor what somebody else changed (vikunja 2847)")
    func oldCopy() async throws {
        try await CalendarScene.with { scene in
            let uid = "6AB6EEA1-6C9E-4CB9-8F9F-D9B17D2F4A44"
            try await scene.put("\(uid).ics", "SUMMARY:milk", "STATUS:NEEDS-ACTION", uid: uid)
            let etag = try await scene.get("\(uid).ics").etag
            // On the web, somebody renames the item.
            let milk = try #require(
                try await scene.service.changes(scene.list, for: scene.anna).entries.first?.entry.item)
            let renamed = JournalEntry(
                id: .random(), operation: .edit, item: milk, fields: ["text": "oat milk"], deviceSequence: 1)
            _ = try await scene.service.upload([renamed], to: scene.list, by: scene.anna)
            // The phone knows nothing of that. Its second edit is of the same copy, too.
            for lines in [
                ["DESCRIPTION:two", "STATUS:NEEDS-ACTION"], ["DESCRIPTION:two", "STATUS:COMPLETED"],
            ] {
                let edited = try await scene.put(
                    "\(uid).ics", ["SUMMARY:milk"] + lines, uid: uid,
                    headers: Self.phone("0", ["if-match": etag, "content-type": "text/calendar"]))
                #expect(edited.status == 204, "\(edited.text)")
            }
            let items = try await scene.items()
            #expect(items.map(\.text) == ["oat milk"])
            #expect(items[0].fields["note"] == "two" && items[0].isMarkedOff)
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
            // Then the phone fetches, from the token that it had.
            let synced = try await scene.call("REPORT", scene.path, Self.sync(before[1]), headers: Self.phone("1"))
            #expect(synced.status == 207 && synced.text.matches(of: /<d:response>/).count == 1, "\(synced.text)")
            #expect(Self.etag(of: "milk.ics", in: synced.text) == new[0])
            #expect(synced.text.contains("<d:sync-token>\(after[1])</d:sync-token>"))
            let fetched = try await scene.call(
                "REPORT", scene.path, Self.multiget(scene.path + "milk.ics"), headers: Self.phone("1"))
            #expect(fetched.status == 207 && fetched.text.contains("SUMMARY:milk"), "\(fetched.text)")
            #expect(fetched.text.contains("STATUS:COMPLETED") && !fetched.text.contains("404 Not Found"))
            let idle = try await scene.call("REPORT", scene.path, Self.sync(after[1]), headers: Self.phone("1"))
            #expect(idle.status == 207 && !idle.text.contains("<d:response>"))
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

    @Test("a list and its tasks are at one address each, however they are asked for, and stay there (vikunja 51)")
    func addresses() async throws {
        try await CalendarScene.with { scene in
            #expect(try await scene.call("MKCALENDAR", "/dav/lists/\(ListID.random())/").status == 201)
            try await scene.put("milk%20&%20co.ics", "SUMMARY:milk")
            let list = String(scene.path.dropLast())
            func hrefs(_ path: String, _ depth: String) async throws -> Set<String> {
                let answer = try await scene.propfind(path, depth: depth, "resourcetype")
                let all = answer.text.matches(of: /<d:response><d:href>([^<]*)</).map { String($0.output.1) }
                #expect(!all.isEmpty && Set(all).count == all.count, "\(path) \(answer.text)")
                return Set(all)
            }
            let lists = try await hrefs("/dav/lists/", "1")
            #expect(lists.count == 3 && lists.contains("/dav/lists/") && lists.contains(scene.path))
            let task = scene.path + "milk%20%26%20co.ics"
            func expectSame() async throws {
                for path in ["/dav/lists/", "/dav/lists", "/dav/%6Cists/"] {
                    #expect(try await hrefs(path, "1") == lists, "\(path)")
                }
                for path in [list, list + "/", list.replacing("/lists/", with: "/%6Cists/")] {
                    #expect(try await hrefs(path, "0") == [scene.path], "\(path)")
                    #expect(try await hrefs(path, "1") == [scene.path, task], "\(path)")
                }
                for name in ["milk%20&%20co.ics", "milk%20%26%20co.ics", "mil%6b%20%26%20co%2Eics"] {
                    #expect(try await hrefs(scene.path + name, "0") == [task], "\(name)")
                }
                let synced = try await scene.sync("").text.matches(of: /<d:href>([^<]*)</).map { String($0.output.1) }
                #expect(synced == [task])
            }
            try await expectSame()
            let renamed = try await scene.call(
                "PROPPATCH", list,
                "<A:propertyupdate \(Self.namespaces)><A:set><A:prop><A:displayname>Party</A:displayname></A:prop></A:set></A:propertyupdate>",
                headers: Self.phone("0"))
            #expect(renamed.status == 207 && renamed.text.contains("<d:href>\(scene.path)</d:href>"))
            try await expectSame()
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
