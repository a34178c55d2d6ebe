import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("What CalDAV clients must not be able to do", .timeLimit(.minutes(20)))
struct CalendarTrapTests {
    @Test("only a personal token of the account opens its lists")
    func authentication() async throws {
        try await CalendarScene.with { scene in
            let ben = try await scene.service.person("ben")
            let bens = try #require(try await scene.service.personalToken(of: ben).token)
            for (header, status) in [
                (CalendarScene.basic(scene.anna.email, scene.token), 207),
                (CalendarScene.basic(scene.anna.email.uppercased(), scene.token), 207), ("Bearer \(scene.token)", 207),
                // Another account's token, by either name.
                (CalendarScene.basic(scene.anna.email, bens), 401), (CalendarScene.basic(ben.email, scene.token), 401),
                (CalendarScene.basic(ben.email, bens), 404),
                // The password and a session open more than a task app needs.
                (CalendarScene.basic(scene.anna.email, TestService.password), 401), ("Bearer \(scene.anna.token)", 401),
                (CalendarScene.basic(scene.anna.email, ""), 401), ("Basic !!!", 401), ("Digest x", 401),
            ] {
                let answer = try await scene.service.call("PROPFIND", scene.path, headers: ["authorization": header])
                #expect(answer.status == status, "\(header)")
                if status == 401 { #expect(answer.headers["www-authenticate"]?.hasPrefix("Basic ") == true) }
            }
            let principal = try await scene.propfind("/dav/principals/\(ben.account)/", depth: "0", "displayname")
            #expect(principal.status == 404)
        }
    }

    @Test("a revoked token is refused at once")
    func revoked() async throws {
        try await CalendarScene.with { scene in
            #expect(try await scene.propfind(scene.path, depth: "0", "displayname").status == 207)
            let tokens: PersonalTokensResponse = try await scene.service.call(
                "GET", Path.tokens, token: scene.anna.token
            ).decode()
            _ = try await scene.service.call("DELETE", Path.token(tokens.tokens[0].id), token: scene.anna.token)
            #expect(try await scene.propfind(scene.path, depth: "0", "displayname").status == 401)
        }
    }

    @Test("a read-only token reads, and may not write, make or remove")
    func readOnly() async throws {
        try await CalendarScene.with(token: #"{"name":"wall","readOnly":true}"#) { scene in
            let milk = JournalEntry.add("milk")
            _ = try await scene.service.upload([milk], to: scene.list, by: scene.anna)
            let name = "\(try #require(milk.item)).ics"
            #expect(try await scene.get(name).text.contains("milk"))
            for (method, path) in [
                ("PUT", scene.path + name), ("DELETE", scene.path + name), ("DELETE", scene.path),
                ("MKCALENDAR", "/dav/lists/new/"),
            ] {
                let answer = try await scene.call(method, path, CalendarScene.task("x", ["SUMMARY:x"]))
                #expect(answer.status == 403 && answer.text.contains("need-privileges"), "\(method) \(answer.text)")
            }
            let privileges = try await scene.propfind(scene.path, depth: "0", "current-user-privilege-set")
            #expect(!privileges.text.contains("<d:write"))
            #expect(try await scene.items().map(\.text) == ["milk"])
        }
    }

    @Test("a token for some lists shows no others, and a read-only participant writes nothing")
    func scoped() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (opened, other) = (try await service.list(of: anna), try await service.list(of: anna))
            let token = try #require(
                try await service.personalToken(of: anna, #"{"name":"x","lists":["\#(opened)"]}"#).token)
            let scene = CalendarScene(service: service, anna: anna, list: opened, token: token)
            let home = try await scene.propfind("/dav/lists/", depth: "1", "displayname")
            #expect(home.text.contains("\(opened)") && !home.text.contains("\(other)"))
            #expect(try await scene.propfind("/dav/lists/\(other)/", depth: "0", "displayname").status == 404)
            #expect(try await scene.call("DELETE", scene.path).status == 403)

            try await service.add(ben, to: opened, of: anna, .readOnly)
            let bens = try #require(try await service.personalToken(of: ben).token)
            let reader = CalendarScene(service: service, anna: ben, list: opened, token: bens)
            let refused = try await reader.put("a.ics", "SUMMARY:x")
            #expect(refused.status == 403 && refused.text.contains("need-privileges"))
            // Leaving is a participant's DELETE.
            #expect(try await reader.call("DELETE", reader.path).status == 204)
            #expect(try await reader.propfind(reader.path, depth: "0", "displayname").status == 404)
            #expect(try await scene.propfind(scene.path, depth: "0", "displayname").status == 207)
        }
    }

    @Test("the owner, a writer and a reader see whose list it is and what they may do, and nobody sees anybody else")
    func sharing() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (cleo, eve) = (try await service.person("cleo"), try await service.person("eve"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            try await service.add(cleo, to: list, of: anna, .readOnly)
            func client(_ person: Person, _ json: String = #"{"name":"x"}"#) async throws -> CalendarScene {
                let token = try #require(try await service.personalToken(of: person, json).token)
                return CalendarScene(service: service, anna: person, list: list, token: token)
            }
            func path(_ person: Person) -> String { "/dav/principals/\(person.account)/" }
            let own = try await client(anna).propfind(path(anna), depth: "0", "displayname")
            let name = try #require(own.text.firstMatch(of: /<d:displayname>[^<]+</)?.output)
            for (person, mayWrite) in [(anna, true), (ben, true), (cleo, false)] {
                let scene = try await client(person)
                let answer = try await scene.propfind(scene.path, depth: "0", "owner", "current-user-privilege-set")
                #expect(answer.text.contains("<d:owner><d:href>\(path(anna))</d:href></d:owner>"), "\(answer.text)")
                for privilege in ["write", "write-content", "write-properties", "bind", "unbind"] {
                    #expect(answer.text.contains("<d:\(privilege)/>") == mayWrite, "\(privilege) \(answer.text)")
                }
                #expect(answer.text.contains("<d:read/>"))
                let owner = try await scene.propfind(path(anna), depth: "0", "displayname", "c:calendar-home-set")
                #expect(owner.status == 207 && owner.text.contains(name), "\(owner.text)")
                // Where an owner's lists are, and their address, only they themselves see.
                #expect(owner.text.contains("<d:href>/dav/lists/</d:href>") == (person.account == anna.account))
                // A participant's name is no business of a task app's.
                if person.account != ben.account {
                    #expect(try await scene.propfind(path(ben), depth: "0", "displayname").status == 404)
                }
            }
            #expect(try await client(eve).propfind(path(anna), depth: "0", "displayname").status == 404)
            let other = try await service.list(of: ben)
            let narrow = try await client(ben, #"{"name":"y","lists":["\#(other)"]}"#)
            #expect(try await narrow.propfind(path(anna), depth: "0", "displayname").status == 404)
        }
    }

    @Test(
        "documents with entities, endless depth or other encodings are refused",
        arguments: [
            "<!DOCTYPE x [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><propfind xmlns='DAV:'><prop>&b;</prop></propfind>",
            "<!DOCTYPE x SYSTEM 'file:///etc/passwd'><propfind xmlns='DAV:'/>", "<propfind xmlns='DAV:'>&b;</propfind>",
            "<propfind xmlns='DAV:'><prop>", "<d:propfind/>", "plain", "<propfind xmlns='DAV:'></prop>",
            "<?xml version='1.0' encoding='utf-16'?><propfind xmlns='DAV:'/>", "<a b='1' b='2'/>",
        ])
    func entities(body: String) async throws {
        try await CalendarScene.with { scene in
            let answer = try await scene.call("PROPFIND", scene.path, body, headers: ["depth": "0"])
            #expect(answer.status == 400, "\(answer.text)")
            let deep = String(repeating: "<a>", count: 100_000)
            #expect(try await scene.call("PROPFIND", scene.path, deep, headers: ["depth": "0"]).status == 413)
        }
    }

    @Test("a task of a megabyte is refused, and so is one that an entry can't hold")
    func large() async throws {
        try await CalendarScene.with { scene in
            let megabyte = "DESCRIPTION:" + String(repeating: "x", count: 1 << 20)
            let tooLarge = try await scene.put("a.ics", "SUMMARY:milk", megabyte)
            #expect(tooLarge.status == 413 || tooLarge.status == 403)
            let long = "DESCRIPTION:" + String(repeating: "x", count: 5000)
            let refused = try await scene.put("a.ics", "SUMMARY:milk", long)
            #expect(refused.status == 403 && refused.text.contains("max-resource-size"))
            try await scene.put("a.ics", "SUMMARY:milk")
            let edited = try await scene.put("a.ics", "SUMMARY:milk", long)
            #expect(edited.status == 403 && edited.text.contains("max-resource-size"))
            #expect(try await scene.items().map(\.text) == ["milk"])
        }
    }

    @Test("objects that are no single, plain task are refused with the reason, and change nothing")
    func notTasks() async throws {
        try await CalendarScene.with { scene in
            let task = CalendarScene.task("task", ["SUMMARY:milk"])
            for (body, condition) in [
                ("", "valid-calendar-data"), ("nonsense", "valid-calendar-data"),
                (task.replacing("VTODO", with: "VEVENT"), "supported-calendar-component"),
                (task.replacing("UID:task\r\n", with: ""), "valid-calendar-data"),
                (task.replacing("END:VTODO\r\n", with: ""), "valid-calendar-data"),
                (task.replacing("SUMMARY:milk", with: "SUMMARY:a\r\nSUMMARY:b"), "valid-calendar-data"),
                (
                    task.replacing("END:VTODO\r\n", with: "END:VTODO\r\nBEGIN:VTODO\r\nUID:b\r\nEND:VTODO\r\n"),
                    "valid-calendar-object-resource"
                ),
            ] {
                let answer = try await scene.call("PUT", scene.path + "a.ics", body)
                #expect(answer.status == 403 && answer.text.contains("<c:\(condition)/>"), "\(body) \(answer.text)")
            }
            let type = try await scene.put("a.ics", "SUMMARY:x", headers: ["content-type": "text/plain"])
            #expect(type.status == 403 && type.text.contains("supported-calendar-data"))
            try await scene.put("a.ics", "SUMMARY:milk")
            let conflict = try await scene.put("b.ics", "SUMMARY:milk")
            #expect(
                conflict.status == 403 && conflict.text.contains("no-uid-conflict") && conflict.text.contains("a.ics"))
            #expect(try await scene.put("a.ics", "SUMMARY:milk", uid: "other").text.contains("no-uid-conflict"))
            #expect(try await scene.items().count == 1)
        }
    }

    @Test(
        "a task that repeats, or is one of a series, is refused, and changes nothing",
        arguments: [
            "RRULE:FREQ=DAILY", "RDATE:20260102T080000Z", "EXRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20260102",
            "RECURRENCE-ID:20260101T080000Z", "rrule:FREQ=DAILY",
        ])
    func repeating(line: String) async throws {
        try await CalendarScene.with { scene in
            for name in ["new.ics", "a.ics"] {
                let answer = try await scene.put(name, "SUMMARY:tea", "DTSTART:20260101T080000Z", line)
                #expect(answer.status == 403, "\(answer.text)")
                #expect(answer.text.contains("<c:valid-calendar-object-resource/>"), "\(answer.text)")
                #expect(try await scene.items().map(\.text) == (name == "new.ics" ? [] : ["milk"]))
                if name == "new.ics" { try await scene.put("a.ics", "SUMMARY:milk") }
            }
        }
    }

    @Test("lists are made, renamed, recoloured and deleted")
    func lists() async throws {
        try await CalendarScene.with { scene in
            let body = """
                <c:mkcalendar xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav' xmlns:a='http://apple.com/ns/ical/'><d:set>\
                <d:prop><d:displayname>Party</d:displayname><a:calendar-color>#FF3B30FF</a:calendar-color>\
                <c:supported-calendar-component-set><c:comp name='VTODO'/></c:supported-calendar-component-set></d:prop>\
                </d:set></c:mkcalendar>
                """
            // Also under a name that is no UUID, again after a deletion.
            for path in ["/dav/lists/\(ListID.random())/", "/dav/lists/my%20party/", "/dav/lists/my%20party/"] {
                #expect(try await scene.call("MKCALENDAR", path, body).status == 201)
                #expect(try await scene.call("MKCALENDAR", path, body).status == 403)
                let made = try await scene.propfind(path, depth: "0", "displayname", "a:calendar-color")
                #expect(made.text.contains("Party") && made.text.contains("#FF3B30FF"))
                #expect(made.text.contains("<d:href>\(path)</d:href>"))
                let patch = """
                    <propertyupdate xmlns='DAV:' xmlns:a='http://apple.com/ns/ical/'><set><prop><displayname>Feast</displayname>\
                    <a:calendar-color>#123456</a:calendar-color><a:calendar-order>3</a:calendar-order></prop></set>\
                    </propertyupdate>
                    """
                let patched = try await scene.call("PROPPATCH", path, patch)
                #expect(
                    patched.status == 207 && patched.text.contains("200 OK") && patched.text.contains("403 Forbidden"))
                let renamed = try await scene.propfind(path, depth: "0", "displayname", "a:calendar-color")
                #expect(renamed.text.contains("Feast") && renamed.text.contains("#123456FF"))
                #expect(try await scene.call("DELETE", path).status == 204)
                #expect(try await scene.propfind(path, depth: "0", "displayname").status == 404)
            }
            let events = body.replacing("VTODO", with: "VEVENT")
            let refused = try await scene.call("MKCALENDAR", "/dav/lists/events/", events)
            #expect(refused.status == 403 && refused.text.contains("supported-calendar-component"))
            #expect(try await scene.call("MKCALENDAR", "/dav/elsewhere/", body).status == 404)
            #expect(try await scene.call("LOCK", scene.path).status == 405)
        }
    }

    @Test(
        "an answer is bounded: what is asked for again and again is answered once, and too many conditions are refused")
    func amplification() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:milk")
            let data = String(repeating: "<c:calendar-data/>", count: 2000)
            let href = String(repeating: "<d:href>\(scene.path)a.ics</d:href>", count: 500)
            let namespaces = "xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'"
            let multiget = try await scene.call(
                "REPORT", scene.path,
                "<c:calendar-multiget \(namespaces)><d:prop>\(data)</d:prop>\(href)</c:calendar-multiget>")
            #expect(multiget.status == 207 && multiget.text.utf8.count < 2000, "\(multiget.text.utf8.count)")
            #expect(multiget.text.contains("SUMMARY:milk"))
            let names = (0..<101).map { "<d:x\($0)/>" }.joined()
            let propfind = try await scene.call(
                "PROPFIND", scene.path, "<d:propfind \(namespaces)><d:prop>\(names)</d:prop></d:propfind>",
                headers: ["depth": "1"])
            #expect(propfind.status == 400 && propfind.text.contains("100 properties"))
            let filters = String(repeating: "<c:prop-filter name='SUMMARY'/>", count: 51)
            for filter in [filters, "<c:comp-filter name='VALARM'/>" + filters] {
                let query = try await scene.call(
                    "REPORT", scene.path,
                    "<c:calendar-query \(namespaces)><c:filter><c:comp-filter name='VCALENDAR'><c:comp-filter name='VTODO' test='anyof'>\(filter)</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"
                )
                #expect(query.status == 403 && query.text.contains("supported-filter"))
            }
        }
    }

    @Test("a long answer counts against the account's memory while it is written")
    func memory() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 1_000_000
        try await TestService.with(reading: reading) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try #require(try await service.personalToken(of: anna).token)
            let scene = CalendarScene(service: service, anna: anna, list: list, token: token)
            for start in [1, 201] {
                let text = String(repeating: "x", count: 1000)
                _ = try await service.upload((start..<start + 200).map { .add(text, Int64($0)) }, to: list, by: anna)
            }
            let few = try await scene.propfind(scene.path, depth: "1", "getetag")
            #expect(few.status == 207, "\(few.text)")
            let many = try await scene.propfind(scene.path, depth: "1", "getetag", "c:calendar-data", "displayname")
            #expect([403, 413, 503, 507].contains(many.status), "\(many.status) \(many.text)")
        }
    }

    @Test("a list whose name can't be stored isn't made, and one that was begun is finished by the next try")
    func halfMade() async throws {
        try await CalendarScene.with { scene in
            func make(_ name: String, _ path: String) async throws -> Answer {
                try await scene.call(
                    "MKCALENDAR", path,
                    "<c:mkcalendar xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><d:set><d:prop><d:displayname>\(name)</d:displayname></d:prop></d:set></c:mkcalendar>"
                )
            }
            let refused = try await make(String(repeating: "x", count: 5000), "/dav/lists/party/")
            #expect(refused.status == 403 && refused.text.contains("shorter"), "\(refused.text)")
            #expect(try await make("Party", "/dav/lists/party/").status == 201)
            // What a process leaves that ends in between.
            let begun = ListID.random()
            _ = try await scene.service.call("POST", Path.lists, token: scene.anna.token, json: #"{"id":"\#(begun)"}"#)
            #expect(try await make("Feast", "/dav/lists/\(begun)/").status == 201)
            #expect(try await make("Feast", "/dav/lists/\(begun)/").status == 403)
            let found = try await scene.propfind("/dav/lists/\(begun)/", depth: "0", "displayname")
            #expect(found.text.contains("Feast"))
        }
    }

    @Test("a task that is written anew after it was deleted has nothing of what a task program can't see")
    func writtenAnew() async throws {
        try await CalendarScene.with { scene in
            try await scene.put("a.ics", "SUMMARY:nails")
            let state: StateOfItems = try await scene.service.call(
                "GET", Path.state(scene.list), token: scene.anna.token
            )
            .decode()
            let item = try #require(state.items.first).id
            let edit = JournalEntry(
                id: .random(), operation: .edit, item: item,
                fields: ["shop": "Hardware", "every": "7"], deviceSequence: 1)
            _ = try await scene.service.upload([edit], to: scene.list, by: scene.anna)
            #expect(try await scene.items().first?.fields["shop"] == "Hardware")
            #expect(try await scene.call("DELETE", scene.path + "a.ics").status == 204)
            #expect(try await scene.put("a.ics", "SUMMARY:nails").status == 201)
            let fields = try #require(try await scene.items().first).fields
            #expect(fields["shop"] == nil && fields["every"] == nil, "\(fields)")
        }
    }

    private struct StateOfItems: Decodable {
        struct Item: Decodable { let id: ItemID }
        let items: [Item]
    }
}
