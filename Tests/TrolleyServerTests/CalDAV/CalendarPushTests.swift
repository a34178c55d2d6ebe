import Testing
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Registrations for push messages by CalDAV", .timeLimit(.minutes(20)))
struct CalendarPushTests {
    @Test("lists say that they have push, with the service's key and a topic of their own; nothing else does")
    func offer() async throws {
        try await CalendarPushScene.with { scene in
            let key: PushKeyResponse = try await scene.service.call(
                "GET", Path.pushKey, token: scene.anna.token
            ).decode()
            let answer = try await scene.properties()
            #expect(answer.status == 207)
            #expect(
                answer.text.contains(
                    """
                    <p:transports><p:web-push><p:vapid-public-key type="p256ecdsa">\(key.publicKey)</p:vapid-public-key>\
                    </p:web-push></p:transports>
                    """))
            #expect(
                answer.text.contains(
                    """
                    <p:supported-triggers><p:content-update><d:depth>1</d:depth></p:content-update><p:property-update>\
                    <d:depth>0</d:depth></p:property-update></p:supported-triggers>
                    """))
            #expect(answer.text.contains(#"xmlns:p="https://bitfire.at/webdav-push""#))
            let topic = try await scene.topic()
            #expect(topic.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil && !topic.contains("\(scene.list)"))

            // The same list is another resource for another person.
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            #expect(try await scene.topic(by: scene.client(of: ben)) != topic)
            #expect(try await scene.topic(by: scene.client(of: scene.anna)) == topic)

            try await scene.calendar.put("a.ics", "SUMMARY:milk")
            let principal = "/dav/principals/\(scene.anna.account)/"
            for path in ["/dav/", "/dav/lists/", principal, scene.calendar.path + "a.ics"] {
                let other = try await scene.properties(path)
                #expect(other.status == 207 && !other.text.contains("web-push"), "\(path) \(other.text)")
            }
            // Of the home and its lists, the lists.
            let home = try await scene.properties("/dav/lists/", depth: "1")
            #expect(home.text.matches(of: /<p:topic>/).count == 1)
        }
    }

    @Test("OPTIONS says it, too, and that lists have POST")
    func options() async throws {
        try await CalendarPushScene.with { scene in
            for (path, hasPush) in [(scene.calendar.path, true), ("/dav/lists/", false), ("/dav/", false)] {
                let options = try await scene.calendar.call("OPTIONS", path)
                let classes = try #require(options.headers["dav"]).split(separator: ",").map { $0.drop { $0 == " " } }
                #expect(classes.contains("webdav-push") == hasPush && classes.contains("calendar-access"), "\(path)")
                let methods = try #require(options.headers["allow"])
                #expect(methods.contains("POST") == hasPush && methods.contains("PROPFIND"), "\(path)")
                guard !hasPush else { continue }
                let post = try await scene.calendar.call(
                    "POST", path, CalendarPushScene.document(scene.subscription()),
                    headers: ["content-type": "application/xml"])
                #expect(post.status == 405 && post.headers["allow"] == methods, "\(path)")
            }
        }
    }

    @Test("the account's export names the program as one, and not as a browser's subscription")
    func exported() async throws {
        try await CalendarPushScene.with { scene in
            _ = try await scene.register()
            let text = try await scene.service.call("GET", Path.export, token: scene.anna.token).text
            #expect(text.contains(#""pushSubscriptions":[],"programs":[{"device":""#), "\(text)")
            #expect(text.contains(#""host":"127.0.0.1"#) && !text.contains("/phone"))
        }
    }

    @Test("a registration says that it can only be deleted")
    func registrationMethods() async throws {
        try await CalendarPushScene.with { scene in
            let path = "/dav/push/\(RegistrationID.random())"
            for method in ["GET", "PUT", "PROPFIND", "POST", "LOCK"] {
                let answer = try await scene.calendar.call(method, path)
                #expect(answer.status == 405 && answer.headers["allow"] == "OPTIONS, DELETE", "\(method)")
            }
            #expect(try await scene.calendar.call("OPTIONS", path).headers["allow"] == "OPTIONS, DELETE")
        }
    }

    @Test("a client registers, refreshes its registration at the same address, and deletes it")
    func registering() async throws {
        try await CalendarPushScene.with { scene in
            let first = try await scene.register()
            #expect(first.status == 204 && first.body.isEmpty, "\(first.text)")
            let path = try scene.path(in: first)
            #expect(path.wholeMatch(of: /\/dav\/push\/[0-9a-f-]{36}/) != nil)
            let now = HostedClock.now().wall
            let end = try #require(first.headers["expires"].flatMap { RetryAfter.date($0, now: now) })
            let seconds = (end.milliseconds - now.milliseconds) / 1000
            #expect((604_000...604_801).contains(seconds))

            let refreshed = try await scene.register(
                nil, CalendarPushScene.bothTriggers + "<expires>Thu, 01 Jan 2099 00:00:00 GMT</expires>")
            #expect(try refreshed.status == 204 && scene.path(in: refreshed) == path)
            #expect(try await scene.rows("push_registration") == 1)
            #expect(try await scene.rows("push_registration WHERE expires_at < now() + interval '8 days'") == 1)

            // It is nothing else, and nobody else's.
            for method in ["GET", "PROPFIND", "PUT", "MKCALENDAR"] {
                let answer = try await scene.calendar.call(method, path)
                #expect([403, 405].contains(answer.status), "\(method) \(answer.status)")
            }
            let ben = try await scene.service.person("ben")
            #expect(try await scene.client(of: ben).call("DELETE", path).status == 404)
            #expect(try await scene.calendar.call("DELETE", path).status == 204)
            #expect(try await scene.calendar.call("DELETE", path).status == 404)
            #expect(try await scene.rows("push_target") == 0)
        }
    }

    @Test("a client that may only read is told, too, and one of a token for other lists learns nothing")
    func scopes() async throws {
        try await CalendarPushScene.with(token: #"{"name":"wall","readOnly":true}"#) { scene in
            #expect(try await scene.register().status == 204)
            let other = try await scene.service.list(of: scene.anna)
            let token = try #require(
                try await scene.service.personalToken(of: scene.anna, #"{"name":"x","lists":["\#(other)"]}"#).token)
            let closed = CalendarScene(service: scene.service, anna: scene.anna, list: scene.list, token: token)
            #expect(try await scene.register(closed).status == 404)
            let ben = try await scene.service.person("ben")
            #expect(try await scene.register(scene.client(of: ben)).status == 404)
            #expect(try await scene.rows("push_registration") == 1)
        }
    }

    @Test("what isn't a registration is refused, with the draft's condition where it has one")
    func refusals() async throws {
        try await CalendarPushScene.with(settings: { $0.allowsPrivateAddresses = false }) { scene in
            let valid = scene.subscription(to: "https://push.example.net/x")
            for (subscription, status, condition) in [
                (scene.subscription(), 403, "invalid-subscription"),
                (scene.subscription(to: "https://169.254.169.254/latest"), 403, "invalid-subscription"),
                (valid.replacing("p256dh", with: "other"), 403, "invalid-subscription"),
                (valid + "<trigger/>", 403, "no-supported-trigger"),
            ] {
                let answer = try await scene.post(CalendarPushScene.document(subscription))
                #expect(answer.status == status && answer.text.contains("<p:\(condition)/>"), "\(answer.text)")
            }
            let unfinished = valid + "<trigger><content-update>"
            #expect(try await scene.post(CalendarPushScene.document(unfinished)).status == 400)
            let megabyte = valid + "<x>" + String(repeating: "x", count: 1 << 20) + "</x>"
            #expect([403, 413].contains(try await scene.post(CalendarPushScene.document(megabyte)).status))
            #expect(try await scene.post("").status == 400)
            #expect(try await scene.post("<propfind xmlns='DAV:'/>").status == 400)
            let entities = "<!DOCTYPE x [<!ENTITY a 'https://push.example.net/'>]>" + CalendarPushScene.document(valid)
            #expect(try await scene.post(entities).status == 400)
            for type in ["text/calendar", "application/json"] {
                #expect(try await scene.post(CalendarPushScene.document(valid), type: type).status == 415)
            }
            #expect(try await scene.rows("push_target") == 0)
            let text = try await scene.post(CalendarPushScene.document(valid), type: "text/xml; charset=utf-8")
            #expect(text.status == 204)
        }
    }

    @Test("revoking the token ends its registrations, and so do leaving the list and deleting it")
    func endings() async throws {
        try await CalendarPushScene.with { scene in
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            let phone = try await scene.service.personalToken(of: ben)
            let token = try #require(phone.token)
            let client = CalendarScene(service: scene.service, anna: ben, list: scene.list, token: token)
            #expect(try await scene.register(client, to: scene.receiver.url("/ben")).status == 204)
            _ = try await scene.service.call("DELETE", Path.token(phone.id), token: ben.token)
            #expect(try await scene.rows("push_target") == 0)

            let second = try await scene.client(of: ben)
            #expect(try await scene.register(second, to: scene.receiver.url("/ben")).status == 204)
            #expect(try await scene.register().status == 204)
            _ = try await scene.service.call(
                "DELETE", Path.participant(ben.account, of: scene.list), token: scene.anna.token)
            try await eventually("registrations") {
                try await scene.rows("push_registration")
            } until: {
                $0 == 1
            }
            #expect(try await scene.calendar.call("DELETE", scene.calendar.path).status == 204)
            try await eventually("registrations") {
                try await scene.rows("push_registration")
            } until: {
                $0 == 0
            }
            #expect(try scene.messages(at: "/ben").isEmpty)
        }
    }
}
