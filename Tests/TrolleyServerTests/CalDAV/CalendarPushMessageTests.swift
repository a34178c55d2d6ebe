import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Push messages to CalDAV clients", .timeLimit(.minutes(20)))
struct CalendarPushMessageTests {
    @Test("a change on another device is told, encrypted, with the list's topic and its new sync token")
    func told() async throws {
        try await CalendarPushScene.with { scene in
            try await scene.register()
            try await scene.add("milk")
            let messages = try await scene.messages(1)
            let (topic, token) = (try await scene.topic(), try await scene.syncToken())
            #expect(messages == [scene.message(topic, content: token)])
            // So the client that has fetched knows that it has everything.
            #expect(try await !scene.calendar.sync(token).text.contains("<d:response>"))

            let request = try #require(scene.receiver.log.all.first)
            #expect(request.headers["content-type"] == #"application/xml; charset="utf-8""#)
            #expect(request.headers["content-encoding"] == "aes128gcm" && request.headers["urgency"] == "normal")
            let secondsToLive = try #require(request.headers["ttl"].flatMap { Int($0) })
            #expect((80_000...86_400).contains(secondsToLive))
            let header = try #require(request.headers["topic"])
            #expect(header.wholeMatch(of: /[A-Za-z0-9_-]{32}/) != nil && !header.contains(topic))
            let key: PushKeyResponse = try await scene.service.call(
                "GET", Path.pushKey, token: scene.anna.token
            ).decode()
            #expect(request.headers["authorization"]?.hasSuffix(",k=\(key.publicKey)") == true)
        }
    }

    @Test("a client that names no trigger and no encoding is told")
    func sparse() async throws {
        try await CalendarPushScene.with { scene in
            let subscription = scene.subscription().replacing(
                "<content-encoding>aes128gcm</content-encoding>", with: "")
            let answer = try await scene.post(CalendarPushScene.document(subscription))
            #expect(answer.status == 204, "\(answer.text)")
            try await scene.add("milk")
            let messages = try await scene.messages(1)
            #expect(messages == [scene.message(try await scene.topic(), content: try await scene.syncToken())])
        }
    }

    @Test("a client isn't told of its own changes, and others are")
    func own() async throws {
        try await CalendarPushScene.with { scene in
            try await scene.register()
            let laptop = try await scene.client(of: scene.anna)
            let browser = TestBrowser()
            try await scene.register(laptop, to: scene.receiver.url("/laptop"), of: browser)
            try await scene.calendar.put("milk.ics", "SUMMARY:milk")
            try await scene.waitUntilKnown()
            let message = scene.message(try await scene.topic(), content: try await scene.syncToken())
            try await eventually("messages to the laptop") {
                try scene.messages(at: "/laptop", for: browser)
            } until: {
                $0 == [message]
            }
            try await eventually("deliveries") {
                try await scene.rows("push_delivery")
            } until: {
                $0 == 0
            }
            #expect(try scene.messages().isEmpty)
        }
    }

    @Test("Push-Dont-Notify keeps a change from registrations of the account, or from all")
    func quiet() async throws {
        try await CalendarPushScene.with { scene in
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            let browser = TestBrowser()
            let own = try #require(try await scene.register().headers["location"])
            let bens = try #require(
                try await scene.register(scene.client(of: ben), to: scene.receiver.url("/ben"), of: browser)
                    .headers["location"])
            let laptop = try await scene.client(of: scene.anna)

            // Ben's registration is not Anna's to name.
            try await laptop.put(
                "milk.ics", "SUMMARY:milk", uid: "milk", headers: ["push-dont-notify": #""\#(own)", "\#(bens)""#])
            try await scene.waitUntilKnown()
            try await eventually("messages to Ben that were sent") {
                try await scene.rows("push_delivery") == 0 ? scene.messages(at: "/ben", for: browser).count : 0
            } until: {
                $0 == 1
            }
            try await laptop.put("eggs.ics", "SUMMARY:eggs", uid: "eggs", headers: ["push-dont-notify": "*"])
            try await scene.waitUntilKnown()
            #expect(try await scene.rows("push_delivery") == 0)
            #expect(try scene.messages(at: "/ben", for: browser).count == 1)
            #expect(try scene.messages().isEmpty)

            // The next change is told with all of them.
            try await laptop.put("salt.ics", "SUMMARY:salt", uid: "salt")
            let messages = try await scene.messages(1)
            #expect(messages == [scene.message(try await scene.topic(), content: try await scene.syncToken())])
        }
    }

    @Test("a new name, and another permission, are told as changed properties")
    func properties() async throws {
        try await CalendarPushScene.with { scene in
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            let (browser, client) = (TestBrowser(), try await scene.client(of: ben))
            try await scene.register(
                client, to: scene.receiver.url("/ben"), of: browser, "<trigger><property-update/></trigger>")
            try await scene.register(nil, "<trigger><content-update/></trigger>")
            let told = scene.message(try await scene.topic(by: client), properties: true)
            let rename = JournalEntry(
                id: .random(), operation: .renameList, fields: ["text": "Weekly shop"], deviceSequence: 1)
            _ = try await scene.service.upload([rename], to: scene.list, by: scene.anna)
            try await eventually("messages to Ben") {
                try scene.messages(at: "/ben", for: browser)
            } until: {
                $0 == [told]
            }
            let permitted = try await scene.service.call(
                "PATCH", Path.participant(ben.account, of: scene.list), token: scene.anna.token,
                json: #"{"permission":"readOnly"}"#)
            #expect(permitted.status == 200)
            try await eventually("messages to Ben") {
                try scene.messages(at: "/ben", for: browser)
            } until: {
                $0 == [told, told]
            }
            try await scene.waitUntilKnown()
            #expect(try scene.messages().isEmpty, "Anna's client asked for changed items")
        }
    }

    @Test("what comes together is told by one message for each list")
    func bursts() async throws {
        try await CalendarPushScene.with(settings: { $0.combining = .seconds(3600) }) { scene in
            try await scene.register()
            for number in 1...5 {
                try await scene.add("milk", Int64(number))
                try await scene.waitUntilKnown()
            }
            #expect(try await scene.rows("push_delivery") == 1)
            #expect(try await scene.rows("push_delivery WHERE due_at > now() + interval '50 min'") == 1)
            let head = try #require(try await scene.service.changes(scene.list, for: scene.anna).sequences.max())
            #expect(try await scene.rows("push_delivery WHERE content ->> 'through' = '\(head)'") == 1)
            #expect(scene.receiver.log.all.isEmpty)
        }
    }

    @Test("404 and 410 end the registrations of the endpoint", arguments: [404, 410])
    func gone(status: Int) async throws {
        try await CalendarPushScene.with(answering: { _, _ in (status, [:]) }) { scene in
            try await scene.register()
            try await scene.add("milk")
            try await eventually("registrations") {
                try await scene.rows("push_registration")
            } until: {
                $0 == 0
            }
            #expect(try await scene.rows("push_target") == 0)
            #expect(scene.receiver.log.all.count == 1)
        }
    }

    @Test("a message that fails is sent again, and one that the push service refuses is given up")
    func failures() async throws {
        let answers = [503, 201, 413]
        try await CalendarPushScene.with(answering: { _, earlier in (answers[min(earlier, 2)], [:]) }) { scene in
            try await scene.register()
            try await scene.add("milk")
            #expect(Set(try await scene.messages(2)).count == 1)
            try await scene.add("eggs", 2)
            _ = try await scene.messages(3)
            try await eventually("dead letters") {
                try await scene.rows("push_delivery WHERE dead_at IS NOT NULL AND failure = 'status 413'")
            } until: {
                $0 == 1
            }
            #expect(try await scene.rows("push_registration") == 1)
        }
    }

    @Test("an endpoint whose name leads to this machine is never connected to")
    func localhost() async throws {
        try await CalendarPushScene.with(settings: { ($0.allowsPrivateAddresses, $0.attempts) = (false, 2) }) { scene in
            let answer = try await scene.register(to: "https://localhost:\(scene.receiver.port)/secret")
            #expect(answer.status == 204, "names are resolved at each connection")
            try await scene.add("milk")
            try await eventually("dead letters") {
                try await scene.rows("push_delivery WHERE failure = 'noPublicAddress' AND dead_at IS NOT NULL")
            } until: {
                $0 == 1
            }
            #expect(scene.receiver.log.all.isEmpty)
        }
    }

    @Test("clients get no summaries")
    func summaries() async throws {
        try await CalendarPushScene.with { scene in
            let ben = try await scene.service.person("ben")
            try await scene.service.add(ben, to: scene.list, of: scene.anna)
            let (browser, client) = (TestBrowser(), try await scene.client(of: ben))
            try await scene.register(client, to: scene.receiver.url("/ben"), of: browser)
            // A session of Anna's.
            for json in ["{}", #"{"present":false}"#] {
                _ = try await scene.service.call(
                    "PUT", Path.presence(scene.list), token: scene.anna.token, json: json)
                if json == "{}" { try await scene.add("milk") }
            }
            try await eventually("summaries") {
                try await scene.rows("summary")
            } until: {
                $0 > 0
            }
            try await scene.waitUntilKnown()
            try await eventually("deliveries") {
                try await scene.rows("push_delivery")
            } until: {
                $0 == 0
            }
            let messages = try scene.messages(at: "/ben", for: browser)
            #expect(messages.count == 1 && messages.allSatisfy { $0.contains("push-message") }, "\(messages)")
        }
    }

    @Test("a change at one process is told to a client that registered at another")
    func processes() async throws {
        try await TestReceiver.with { receiver in
            try await TestService.withTwo(configure: { CalendarPushScene.configure(&$0) }) { one, other in
                for (registered, changed) in [(one, other), (other, one)] {
                    let name = "anna\(registered.port)"
                    let anna = try await registered.person(name)
                    let list = try await registered.list(of: anna)
                    let token = try #require(try await registered.personalToken(of: anna).token)
                    let browser = TestBrowser()
                    let scene = CalendarScene(service: registered, anna: anna, list: list, token: token)
                    let body = CalendarPushScene.document(
                        """
                        <subscription><web-push-subscription><push-resource>\(receiver.url("/\(name)"))</push-resource>\
                        <subscription-public-key type="p256dh">\(browser.p256dh)</subscription-public-key>\
                        <auth-secret>\(browser.auth)</auth-secret></web-push-subscription></subscription>
                        """)
                    let answer = try await scene.call(
                        "POST", scene.path, body, headers: ["content-type": "application/xml"])
                    #expect(answer.status == 204)
                    _ = try await changed.upload([.add("milk")], to: list, by: anna)
                    try await eventually("messages") {
                        receiver.log.at("/\(name)").count
                    } until: {
                        $0 > 0
                    }
                }
            }
        }
    }
}
