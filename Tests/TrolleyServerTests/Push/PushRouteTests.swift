import Testing
import TrolleyJournal
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
