import Testing
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

@testable import TrolleyServer

@Suite("CalDAV's reports", .timeLimit(.minutes(20)))
struct CalendarSyncTests {
    @Test("sync-collection tells what was added, changed and removed since the token, and nothing else")
    func syncing() async throws {
        try await CalendarScene.with { scene in
            for name in ["milk", "bread", "salt"] { try await scene.put("\(name).ics", "SUMMARY:\(name)", uid: name) }
            let (all, first) = try await scene.sync("")
            #expect(all.matches(of: /<d:response>/).count == 3)
            let (none, same) = try await scene.sync(first)
            #expect(!none.contains("<d:response>") && same == first)
            try await scene.put("milk.ics", "SUMMARY:oat milk", uid: "milk")
            try await scene.call("DELETE", scene.path + "bread.ics")
            try await scene.put("tea.ics", "SUMMARY:tea", uid: "tea")
            let (some, second) = try await scene.sync(first)
            #expect(some.contains("\(scene.path)milk.ics</d:href><d:propstat>"))
            #expect(some.contains("\(scene.path)tea.ics</d:href><d:propstat>"))
            #expect(some.contains("\(scene.path)bread.ics</d:href><d:status>HTTP/1.1 404 Not Found"))
            #expect(!some.contains("salt.ics"))
            #expect(second != first)
            #expect(try await !scene.sync(second).text.contains("<d:response>"))
        }
    }

    @Test("compression that discards finished items tells clients that they are gone")
    func compressed() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("milk.ics", "SUMMARY:milk", "STATUS:COMPLETED", uid: "milk")
            try await scene.put("bread.ics", "SUMMARY:bread", uid: "bread")
            let (_, token) = try await scene.sync("")
            let later = HostedClock.now().wall.advanced(byMilliseconds: 60_000)
            #expect(try await scene.service.service.store.compress(scene.list, olderThan: later) != nil)
            let (text, _) = try await scene.sync(token)
            #expect(text.contains("milk.ics</d:href><d:status>HTTP/1.1 404 Not Found"))
            #expect(!text.contains("bread.ics</d:href><d:status>"))
            #expect(try await scene.items().map(\.text) == ["bread"])
        }
    }

    @Test("a client's numbers go on after its newest entries were compressed")
    func numbersAfterCompression() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("bread.ics", "SUMMARY:bread", uid: "bread")
            try await scene.put("milk.ics", "SUMMARY:milk", "STATUS:COMPLETED", uid: "milk")
            let later = HostedClock.now().wall.advanced(byMilliseconds: 60_000)
            #expect(try await scene.service.service.store.compress(scene.list, olderThan: later) != nil)
            try await scene.put("salt.ics", "SUMMARY:salt", uid: "salt")
            let entries = try await scene.service.changes(scene.list, for: scene.anna).entries
            #expect(entries.map(\.entry.deviceSequence) == [1, 4])
        }
    }

    @Test("a token of another list, of another service or made up is refused, so that the client syncs afresh")
    func badTokens() async throws {
        try await CalendarScene.with { scene in
            let other = try await scene.service.list(of: scene.anna)
            let properties = try await scene.propfind("/dav/lists/\(other)/", depth: "0", "sync-token")
            let foreign = try #require(properties.text.firstMatch(of: /<d:sync-token>([^<]+)</)?.output.1)
            for token in [String(foreign), "urn:x-trolley:sync:AAAA", "http://example.com/ns/sync/12", "1"] {
                let answer = try await scene.call(
                    "REPORT", scene.path,
                    "<sync-collection xmlns='DAV:'><sync-token>\(token)</sync-token><prop><getetag/></prop></sync-collection>"
                )
                #expect(answer.status == 403 && answer.text.contains("<d:valid-sync-token/>"), "\(token)")
            }
        }
    }

    @Test("queries select tasks as clients ask for open and finished ones")
    func queries() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("milk.ics", "SUMMARY:Oat Milk", "STATUS:COMPLETED", uid: "milk")
            try await scene.put("bread.ics", "SUMMARY:bread", "CATEGORIES:Bakery", uid: "bread")
            func found(_ filter: String) async throws -> [String] {
                let answer = try await scene.call(
                    "REPORT", scene.path,
                    "<c:calendar-query xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><prop><getetag/><c:calendar-data/></prop><c:filter><c:comp-filter name='VCALENDAR'>\(filter)</c:comp-filter></c:filter></c:calendar-query>",
                    headers: ["depth": "1"])
                try #require(answer.status == 207, "\(answer.text)")
                return answer.text.matches(of: /lists\/[^<]*\/([^<\/]*)\.ics</).map { String($0.output.1) }
            }
            func todo(_ inner: String) -> String { "<c:comp-filter name='VTODO'>\(inner)</c:comp-filter>" }
            #expect(try await found("") == ["milk", "bread"])
            #expect(try await found(todo("")) == ["milk", "bread"])
            #expect(try await found("<c:comp-filter name='VEVENT'/>") == [])
            let open = "<c:prop-filter name='COMPLETED'><c:is-not-defined/></c:prop-filter>"
            #expect(try await found(todo(open)) == ["bread"])
            #expect(try await found(todo("<c:prop-filter name='COMPLETED'/>")) == ["milk"])
            let status =
                "<c:prop-filter name='STATUS'><c:text-match negate-condition='yes'>CANCELLED</c:text-match></c:prop-filter>"
            #expect(try await found(todo(open + status)) == ["bread"])
            let summary = "<c:prop-filter name='SUMMARY'><c:text-match>oat m</c:text-match></c:prop-filter>"
            #expect(try await found(todo(summary)) == ["milk"])
            #expect(try await found(todo("<c:time-range start='20260101T000000Z'/>")) == ["milk", "bread"])
        }
    }

    @Test("multiget gives the tasks that are there and says which aren't")
    func multiget() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("milk & co.ics".replacing(" ", with: "%20"), "SUMMARY:milk", uid: "milk")
            let hrefs = ["milk%20&amp;%20co.ics", "gone.ics"].map { "<href>\(scene.path)\($0)</href>" }.joined()
            let answer = try await scene.call(
                "REPORT", scene.path,
                "<c:calendar-multiget xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><prop><getetag/><c:calendar-data/></prop>\(hrefs)<href>/elsewhere/x.ics</href></c:calendar-multiget>"
            )
            #expect(answer.status == 207)
            #expect(answer.text.contains("SUMMARY:milk"))
            #expect(answer.text.matches(of: /HTTP\/1.1 404 Not Found/).count == 2)
            let unknown = try await scene.call("REPORT", scene.path, "<x xmlns='DAV:'/>")
            #expect(unknown.status == 403 && unknown.text.contains("supported-report"))
        }
    }
}
