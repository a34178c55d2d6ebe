import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Web Push to browsers", .timeLimit(.minutes(20)))
struct PushRouteTests {
    @Test("a browser gets a notification in the declarative form, which says that, and never what")
    func declarative() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with { scene in
                let browser = TestBrowser()
                #expect(try await scene.subscribe(browser, to: receiver.url("/ben"), by: scene.ben).status == 204)
                try await scene.visit()
                try await scene.waitUntilSent()
                let request = try #require(receiver.log.all.first)
                #expect(receiver.log.all.count == 1)
                #expect(
                    try browser.decrypt(request.body) == """
                        {"notification":{"lang":"en","navigate":"https://lists.example.com/#/list/\(scene.list)",\
                        "tag":"\(scene.list)","title":"One of your lists has changed"},"web_push":8030}
                        """)
                #expect(request.headers["content-encoding"] == "aes128gcm")
                let secondsToLive = try #require(request.headers["ttl"].flatMap { Int($0) })
                #expect((1...86_400).contains(secondsToLive))
                #expect(request.headers["urgency"] == "normal")
                #expect(request.headers["topic"]?.wholeMatch(of: /[A-Za-z0-9_-]{32}/) != nil)
                let key: PushKeyResponse = try await scene.service.call(
                    "GET", Path.pushKey, token: scene.ben.token
                ).decode()
                #expect(request.headers["authorization"]?.hasSuffix(",k=\(key.publicKey)") == true)
            }
        }
    }

    @Test("a person who asked for content is told what happened, as counts")
    func content() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with { scene in
                let browser = TestBrowser()
                _ = try await scene.subscribe(browser, to: receiver.url("/ben"), by: scene.ben, content: true)
                try await scene.visit()
                try await scene.waitUntilSent()
                let text = try browser.decrypt(try #require(receiver.log.all.first).body)
                #expect(text.contains(#""title":"anna added 2""#))
            }
        }
    }

    @Test("a notification is in the browser's language; a language without words gets English, and no tag is refused")
    func language() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with { scene in
                let browser = TestBrowser()
                func put(_ language: String) async throws -> Answer {
                    try await scene.service.call(
                        "PUT", Path.pushSubscription, token: scene.ben.token,
                        json: """
                            {"endpoint":"\(receiver.url("/ben"))","keys":\(browser.keys),"content":true,\
                            "language":\(language)}
                            """)
                }
                for wrong in [
                    #""""#, #""de_DE""#, #""d""#, #""de-""#, #""\#(String(repeating: "abcdefgh-", count: 5))x""#, "7",
                ] {
                    #expect(try await put(wrong).outcome == "400 invalidArguments", "\(wrong)")
                }
                let titles = [
                    (#""de-AT""#, "de", "anna hat 2 hinzugefügt"), (#""tlh""#, "en", "anna added 2"),
                    ("null", "en", "anna added 2"),
                ]
                for (index, (tag, language, title)) in titles.enumerated() {
                    #expect(try await put(tag).status == 204)
                    try await scene.visit(from: Int64(1 + 2 * index))
                    try await eventually {
                        receiver.log.all.count
                    } until: {
                        $0 > index
                    }
                    let text = try browser.decrypt(try #require(receiver.log.all.last).body)
                    #expect(
                        text.contains(#""title":"\#(title)""#) && text.contains(#""lang":"\#(language)""#), "\(text)")
                    try await scene.waitUntilSent()
                }
            }
        }
    }

    @Test("of a list that somebody wants everything of, a message comes while the session goes on, by push and webhook")
    func alerts() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with { scene in
                let browser = TestBrowser()
                _ = try await scene.subscribe(browser, to: receiver.url("/ben"), by: scene.ben, content: true)
                try await scene.webhook(receiver.url("/hook"), of: scene.ben, content: true)
                let everything = try await scene.service.call(
                    "PUT", Path.notifications(scene.list), token: scene.ben.token, json: #"{"level":"all"}"#)
                #expect(everything.status == 200)
                let message = JournalEntry(
                    id: .random(), operation: .message, fields: ["text": "At six?"], deviceSequence: 1)
                _ = try await scene.service.upload([message], to: scene.list, by: scene.anna)
                try await eventually {
                    receiver.log.all.count
                } until: {
                    $0 >= 2
                }
                let text = try browser.decrypt(try #require(receiver.log.at("/ben").first).body)
                #expect(text.contains(#""title":"anna wrote 1 message""#) && text.contains("\(scene.list)/messages"))
                let hook = try #require(receiver.log.at("/hook").first).text
                #expect(hook.contains(#""type":"changes""#) && hook.contains(#""messages":1"#))
                #expect(!text.contains("six") && !hook.contains("six"))
                #expect(try await scene.rows("summary") == 0, "the session goes on")
            }
        }
    }

    @Test("404 and 410 end the subscription", arguments: [404, 410])
    func gone(status: Int) async throws {
        try await TestReceiver.with(answering: { _, _ in (status, [:]) }) { receiver in
            try await PushScene.with { scene in
                _ = try await scene.subscribe(TestBrowser(), to: receiver.url("/ben"), by: scene.ben)
                try await scene.visit()
                try await scene.waitUntilSent()
                #expect(try await scene.rows("push_target") == 0)
                #expect(receiver.log.all.count == 1)
            }
        }
    }

    @Test("429 and 5xx are tried again, later or at the asked time, until the message is accepted")
    func retries() async throws {
        let answers: [(Int, [String: String])] = [(503, [:]), (429, ["Retry-After": "0"]), (500, [:]), (201, [:])]
        try await TestReceiver.with(answering: { _, earlier in answers[min(earlier, 3)] }) { receiver in
            try await PushScene.with { scene in
                let browser = TestBrowser()
                _ = try await scene.subscribe(browser, to: receiver.url("/ben"), by: scene.ben)
                try await scene.visit()
                try await scene.waitUntilSent()
                #expect(receiver.log.all.count == 4)
                #expect(Set(try receiver.log.all.map { try browser.decrypt($0.body) }).count == 1)
                #expect(try await scene.rows("push_target WHERE NOT failing") == 1)
            }
        }
    }

    @Test(
        "Retry-After puts the next attempt off, by an hour at most",
        arguments: [
            (429, "600", 590...600), (503, "999999", 3590...3600),
            (503, "Sat, 06 Nov 2094 08:49:37 GMT", 3590...3600),
        ])
    func retryAfter(status: Int, seconds: String, expected: ClosedRange<Int>) async throws {
        try await TestReceiver.with(answering: { _, _ in (status, ["Retry-After": seconds]) }) { receiver in
            try await PushScene.with { scene in
                _ = try await scene.subscribe(TestBrowser(), to: receiver.url("/ben"), by: scene.ben)
                try await scene.visit()
                try await eventually {
                    try await scene.rows("push_delivery WHERE failure = 'status \(status)'")
                } until: {
                    $0 > 0
                }
                let due =
                    "extract(epoch FROM due_at - now()) BETWEEN \(expected.lowerBound - 60) AND \(expected.upperBound)"
                #expect(try await scene.rows("push_delivery WHERE \(due)") == 1)
                #expect(receiver.log.all.count == 1)
            }
        }
    }

    @Test("a push endpoint that redirects, hangs or answers 500 to the end is a dead letter, and nothing else happens")
    func badEndpoints() async throws {
        let answer: @Sendable (ReceivedRequest, Int) async throws -> (Int, [String: String]) = { request, _ in
            if request.path == "/redirects" { return (307, ["Location": "/elsewhere"]) }
            if request.path == "/hangs" { try await TestReceiver.hang() }
            return (500, [:])
        }
        for (path, failure, requests) in [
            ("/redirects", "redirected", 1), ("/hangs", "timedOut", 2), ("/500", "status 500", 2),
        ] {
            try await TestReceiver.with(answering: answer) { receiver in
                // Only the endpoint that hangs fails for the time; requests must still come within it on a busy machine.
                let timeout = Duration.seconds(path == "/hangs" ? 8 : 120)
                try await PushScene.with(settings: { ($0.timeout, $0.attempts) = (timeout, 2) }) { scene in
                    _ = try await scene.subscribe(TestBrowser(), to: receiver.url(path), by: scene.ben)
                    try await scene.visit()
                    #expect(try await scene.deadLetters(of: scene.ben).contains(#""failure":"\#(failure)""#), "\(path)")
                    #expect(receiver.log.all.map(\.path) == Array(repeating: path, count: requests))
                    #expect(try await scene.rows("push_target WHERE failing") == 1)
                }
            }
        }
    }

    @Test("a push endpoint whose name leads to this machine is never connected to")
    func localhost() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with(settings: { ($0.allowsPrivateAddresses, $0.attempts) = (false, 2) }) { scene in
                _ = try await scene.subscribe(
                    TestBrowser(), to: "https://localhost:\(receiver.port)/secret", by: scene.ben)
                try await scene.visit()
                let letters = try await scene.deadLetters(of: scene.ben)
                #expect(letters.contains(#""failure":"noPublicAddress","host":"localhost:\#(receiver.port)""#))
                #expect(receiver.log.all.isEmpty && !letters.contains("secret"))
            }
        }
    }

    @Test("a message that the push service refuses is given up, and the diagnostics say so")
    func refused() async throws {
        try await TestReceiver.with(answering: { _, _ in (413, [:]) }) { receiver in
            try await PushScene.with { scene in
                _ = try await scene.subscribe(TestBrowser(), to: receiver.url("/secret"), by: scene.ben)
                try await scene.visit()
                let letters = try await scene.deadLetters(of: scene.ben)
                #expect(letters.contains(#""failure":"status 413","host":"127.0.0.1:\#(receiver.port)""#))
                #expect(letters.contains(#""attempts":1"#) && letters.contains(#""kind":"push""#))
                #expect(!letters.contains("secret"))
                let other = try await scene.service.call("GET", Path.diagnostics, token: scene.anna.token).text
                #expect(!other.contains("deadLetters"), "they are Ben's")
            }
        }
    }

    @Test("signing out ends the subscription, and so does the next session in the same browser")
    func signingOut() async throws {
        try await PushScene.with { scene in
            let endpoint = "https://push.example.net/1"
            _ = try await scene.subscribe(TestBrowser(), to: endpoint, by: scene.ben)
            #expect(try await scene.rows("push_target") == 1)
            _ = try await scene.subscribe(TestBrowser(), to: endpoint, by: scene.ben)
            #expect(try await scene.rows("push_target") == 1)
            _ = try await scene.subscribe(TestBrowser(), to: endpoint, by: scene.anna)
            #expect(try await scene.rows("push_target WHERE account_id = '\(scene.anna.account)'") == 1)
            #expect(try await scene.rows("push_target") == 1)
            let delete = try await scene.service.call("DELETE", Path.pushSubscription, token: scene.ben.token)
            #expect(delete.status == 204)
            #expect(try await scene.rows("push_target") == 1, "it is Anna's")
            try await scene.service.call("DELETE", Path.session, token: scene.anna.token)
            #expect(try await scene.rows("push_target") == 0)
        }
    }

    @Test("an invalid subscription is refused, and so is a private address unless the operator allows it")
    func invalid() async throws {
        try await PushScene.with(settings: { $0.allowsPrivateAddresses = false }) { scene in
            let keys = TestBrowser().keys
            for (endpoint, keys) in [
                ("https://127.0.0.1/x", keys), ("https://10.0.0.1/", keys), ("https://169.254.169.254/latest", keys),
                ("http://push.example.net/", keys), ("https://user@push.example.net/", keys),
                ("https://[::1]/", keys), ("file:///etc/passwd", keys),
                ("https://push.example.net/", #"{"p256dh":"BAAA","auth":"AAAAAAAAAAAAAAAAAAAAAA"}"#),
                ("https://push.example.net/", #"{"p256dh":"","auth":""}"#), ("https://push.example.net/", "{}"),
            ] {
                let answer = try await scene.service.call(
                    "PUT", Path.pushSubscription, token: scene.ben.token,
                    json: #"{"endpoint":"\#(endpoint)","keys":\#(keys)}"#)
                #expect(try answer.outcome == "400 invalidArguments", "\(endpoint) \(keys)")
            }
            #expect(try await scene.rows("push_target") == 0)
        }
    }

    @Test("the key is made once, and all processes have the same")
    func oneKey() async throws {
        try await TestService.withTwo(configure: { PushScene.configure(&$0) }) { one, other in
            let anna = try await one.person("anna")
            let key = try await one.call("GET", Path.pushKey, token: anna.token).text
            #expect(try await other.call("GET", Path.pushKey, token: anna.token).text == key)
        }
    }
}
