import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// What Apple's tests of CalDAV servers have found (script/bridges).
@Suite("Refusals of CalDAV requests", .timeLimit(.minutes(20)))
struct CalendarRefusalTests {
    @Test("an invitation, and a task beside something else, are refused as objects that can't be in a list")
    func objects() async throws {
        try await CalendarScene.with { scene in
            let task = CalendarScene.task("task", ["SUMMARY:milk"])
            for body in [
                task.replacing("VERSION:2.0\r\n", with: "VERSION:2.0\r\nMETHOD:PUBLISH\r\n"),
                task.replacing("END:VTODO\r\n", with: "END:VTODO\r\nBEGIN:VEVENT\r\nUID:b\r\nEND:VEVENT\r\n"),
            ] {
                let answer = try await scene.call("PUT", scene.path + "a.ics", body)
                #expect(answer.status == 403 && answer.text.contains("<c:valid-calendar-object-resource/>"), "\(body)")
            }
            #expect(try await scene.items().isEmpty)
        }
    }

    @Test("a task that begins with a byte order mark is taken")
    func byteOrderMark() async throws {
        try await CalendarScene.with { scene in
            let task = "\u{FEFF}" + CalendarScene.task("task", ["SUMMARY:milk"])
            let answer = try await scene.call("PUT", scene.path + "a.ics", task)
            #expect(answer.status == 201)
            let items = try await scene.items()
            #expect(items.map(\.text) == ["milk"])
        }
    }

    @Test("a list that is to be made with a property of the service's own isn't made, and the answer says which")
    func protectedProperties() async throws {
        try await CalendarScene.with { scene in
            func body(_ root: String) -> String {
                "<\(root) xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><d:set><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:getetag>x</d:getetag><d:displayname>Party</d:displayname></d:prop></d:set></\(root)>"
            }
            for (method, root, status) in [("MKCALENDAR", "c:mkcalendar", 207), ("MKCOL", "d:mkcol", 403)] {
                let answer = try await scene.call(method, "/dav/lists/party/", body(root))
                #expect(answer.status == status, "\(answer.text)")
                #expect(
                    answer.text.contains("<d:getetag/></d:prop><d:status>HTTP/1.1 403 Forbidden"), "\(answer.text)")
                #expect(
                    answer.text.contains("<d:displayname/></d:prop><d:status>HTTP/1.1 424 Failed Dependency"),
                    "\(answer.text)")
                #expect(try await scene.propfind("/dav/lists/party/", depth: "0", "displayname").status == 404)
            }
        }
    }

    @Test("MKCALENDAR and MKCOL of a list that is there are refused, each by its standard's status")
    func taken() async throws {
        try await CalendarScene.with { scene in
            let calendar =
                "<d:mkcol xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><d:set><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype></d:prop></d:set></d:mkcol>"
            #expect(try await scene.call("MKCALENDAR", "/dav/lists/party/").status == 201)
            let cases: [(String, String?, Int)] = [("MKCALENDAR", nil, 403), ("MKCOL", calendar, 405)]
            for (method, body, status) in cases {
                let answer = try await scene.call(method, "/dav/lists/party/", body)
                #expect(answer.status == status && answer.text.contains("<d:resource-must-be-null/>"), "\(answer.text)")
            }
        }
    }

    @Test(
        "a PROPFIND that asks for nothing, or for two things at once, is refused",
        arguments: [
            "<propfind xmlns='DAV:'><undefined/></propfind>", "<propfind xmlns='DAV:'><allprop/><propname/></propfind>",
        ])
    func propfind(body: String) async throws {
        try await CalendarScene.with { scene in
            let answer = try await scene.call("PROPFIND", scene.path, body, headers: ["depth": "0"])
            #expect(answer.status == 400)
        }
    }

    @Test("a sync-collection of an unknown level is refused, and one without a level isn't")
    func syncLevel() async throws {
        try await CalendarScene.with { scene in
            for (level, status) in [
                ("<sync-level>bogus</sync-level>", 400), ("", 207), ("<sync-level>infinite</sync-level>", 207),
            ] {
                let answer = try await scene.call(
                    "REPORT", scene.path,
                    "<sync-collection xmlns='DAV:'><sync-token/>\(level)<prop><getetag/></prop></sync-collection>",
                    headers: ["depth": "0"])
                #expect(answer.status == status, "\(level)")
            }
        }
    }

    @Test("a task for which the list has no room is refused by 507, and what is there stays and can be finished")
    func full() async throws {
        try await TestService.with(configure: { $0.quotas.entriesPerList = 3 }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try #require(try await service.personalToken(of: anna).token)
            let scene = CalendarScene(service: service, anna: anna, list: list, token: token)
            for number in 1...5 {
                let answer = try await scene.put("\(number).ics", "SUMMARY:thing \(number)", uid: "\(number)")
                #expect(answer.status == (number <= 3 ? 201 : 507), "\(number): \(answer.text)")
                if number > 3 { #expect(answer.text.contains("<d:quota-not-exceeded/>"), "\(answer.text)") }
            }
            #expect(try await scene.items().map(\.text) == ["thing 1", "thing 2", "thing 3"])
            #expect(try await scene.call("GET", scene.path + "4.ics").status == 404)
            let done = try await scene.put("1.ics", "SUMMARY:thing 1", "STATUS:COMPLETED", uid: "1")
            #expect(done.status == 204, "\(done.text)")
            #expect(try await scene.items().filter(\.isMarkedOff).map(\.text) == ["thing 1"])
        }
    }

    @Test("each resource says which reports it has")
    func reports() async throws {
        try await CalendarScene.with { scene in
            for path in ["/dav/lists/", "/dav/principals/\(scene.anna.account)/"] {
                let answer = try await scene.propfind(path, depth: "0", "supported-report-set")
                #expect(answer.text.contains("<d:supported-report-set/></d:prop><d:status>HTTP/1.1 200 OK"), "\(path)")
            }
            let list = try await scene.propfind(scene.path, depth: "0", "supported-report-set")
            #expect(list.text.contains("<d:sync-collection/>"))
            let root = try await scene.propfind("/dav/", depth: "0", "supported-report-set")
            #expect(root.text.contains("<d:principal-property-search/>") && !root.text.contains("<d:sync-collection/>"))
            let elsewhere = try await scene.call("REPORT", "/dav/lists/", "<principal-property-search xmlns='DAV:'/>")
            #expect(elsewhere.status == 403 && elsewhere.text.contains("<d:supported-report/>"))
        }
    }

    @Test("a search for people finds the person who asks by their name or address, and nobody else")
    func people() async throws {
        try await CalendarScene.with { scene in
            // They share a list, and still don't find each other.
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            func find(_ conditions: [(String, String)], _ attributes: String = "") async throws -> Answer {
                let searches = conditions.map { property, match in
                    "<property-search><prop><\(property)/></prop><match>\(match)</match></property-search>"
                }
                return try await scene.call(
                    "REPORT", "/dav/",
                    "<principal-property-search xmlns='DAV:' xmlns:s='http://calendarserver.org/ns/' xmlns:c='urn:ietf:params:xml:ns:caldav'\(attributes)>\(searches.joined())<prop><displayname/></prop></principal-property-search>",
                    headers: ["depth": "0"])
            }
            let (own, unknown) = (("displayname", "NN"), ("displayname", "ben"))
            for (conditions, attributes, isFound) in [
                ([own], "", true), ([("s:email-address-set", "anna@")], "", true),
                ([("c:calendar-user-address-set", "mailto:anna")], "", true), ([unknown], "", false),
                ([("s:email-address-set", "ben@")], "", false), ([("getetag", "a")], "", false),
                ([own, unknown], "", false), ([own, unknown], " test='anyof'", true),
                ([unknown, unknown], " test='anyof'", false),
            ] {
                let answer = try await find(conditions, attributes)
                #expect(answer.status == 207, "\(answer.text)")
                let principal = "<d:href>/dav/principals/\(scene.anna.account)/</d:href>"
                #expect(answer.text.contains(principal) == isFound, "\(conditions) \(answer.text)")
                #expect(answer.text.matches(of: /<d:response>/).count == (isFound ? 1 : 0))
            }
            let beside = try await scene.call(
                "REPORT", "/dav/",
                "<principal-property-search xmlns='DAV:'><prop/><displayname/></principal-property-search>")
            #expect(beside.text.contains("<d:displayname>"))
            let properties = try await scene.call("REPORT", "/dav/", "<principal-search-property-set xmlns='DAV:'/>")
            #expect(properties.status == 200 && properties.text.contains("<d:prop><d:displayname/></d:prop>"))
        }
    }

    @Test("an error has its condition and, for people, what to do, in the element that clients know")
    func description() async throws {
        try await CalendarScene.with { scene in
            let answer = try await scene.call("PUT", scene.path + "a.ics", "nonsense")
            #expect(answer.text.contains("<c:valid-calendar-data/>"))
            #expect(
                answer.text.contains(
                    "<x:error-description xmlns:x=\"http://twistedmatrix.com/xml_namespace/dav/\">the body isn't"))
        }
    }
}
