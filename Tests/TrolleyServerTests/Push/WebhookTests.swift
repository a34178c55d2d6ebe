import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Webhooks", .timeLimit(.minutes(20)))
struct WebhookTests {
    /// The key of a webhook's signatures.
    private func signature(of webhook: WebhookResponse) throws -> WebhookSignature {
        let text = try #require(webhook.secret)
        let standard = text.dropFirst("whsec_".count).map { character in
            switch character {
            case "+": "-"
            case "/": "_"
            case "=": ""
            default: String(character)
            }
        }
        return WebhookSignature(secret: try #require(Base64URL.decode(standard.joined())))
    }

    @Test("a message is signed, says that, and what only if asked, and is the same in all attempts")
    func messages() async throws {
        try await TestReceiver.with(answering: { _, earlier in (earlier == 0 ? 500 : 204, [:]) }) { receiver in
            try await PushScene.with { scene in
                let plain = try await scene.webhook(receiver.url("/plain"), of: scene.ben)
                let full = try await scene.webhook(receiver.url("/full"), of: scene.ben, content: true)
                try await scene.visit()
                try await scene.waitUntilSent()
                for (webhook, path) in [(plain, "/plain"), (full, "/full")] {
                    let requests = receiver.log.at(path)
                    #expect(requests.count == 2)
                    #expect(Set(requests.map(\.id)).count == 1)
                    #expect(Set(requests.map(\.text)).count == 1)
                    for request in requests {
                        let time = try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) })
                        let expected = try signature(of: webhook).sign(
                            id: request.id, timestamp: time, body: request.body)
                        #expect(request.headers["webhook-signature"] == expected)
                    }
                }
                let text = try #require(receiver.log.at("/plain").first).text
                #expect(text.hasPrefix(#"{"data":{"list":"\#(scene.list)","through":"#))
                #expect(text.contains(#""type":"summary""#) && !text.contains("people") && !text.contains("anna"))
                let long = try #require(receiver.log.at("/full").first).text
                #expect(long.contains(#""added":2"#) && long.contains(#""name":"anna""#))
            }
        }
    }

    @Test("an endpoint whose name leads to this machine is refused at each connection, and becomes a dead letter")
    func localhost() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with(settings: { ($0.allowsPrivateAddresses, $0.attempts) = (false, 2) }) { scene in
                try await scene.webhook("https://localhost:\(receiver.port)/x", of: scene.ben)
                try await scene.visit()
                let letters = try await scene.deadLetters(of: scene.ben)
                #expect(letters.contains(#""failure":"noPublicAddress","host":"localhost:\#(receiver.port)""#))
                #expect(receiver.log.all.isEmpty)
                for url in ["https://127.0.0.1/", "https://192.168.0.1/", "http://hooks.example.com/"] {
                    let answer = try await scene.service.call(
                        "POST", Path.webhooks, token: scene.ben.token, json: #"{"url":"\#(url)"}"#)
                    #expect(try answer.outcome == "400 invalidArguments", "\(url)")
                }
            }
        }
    }

    @Test("a redirect is not followed")
    func redirects() async throws {
        try await TestReceiver.with(answering: { _, _ in (307, ["Location": "/elsewhere"]) }) { receiver in
            try await PushScene.with { scene in
                try await scene.webhook(receiver.url("/x"), of: scene.ben)
                try await scene.visit()
                #expect(try await scene.deadLetters(of: scene.ben).contains(#""failure":"redirected""#))
                #expect(receiver.log.all.map(\.path) == ["/x"])
            }
        }
    }

    @Test("endpoints that hang take some places, and delay nobody else")
    func hanging() async throws {
        let hang: @Sendable (ReceivedRequest, Int) async throws -> (Int, [String: String]) = { request, _ in
            if request.path.hasPrefix("/ben") { try await TestReceiver.hang() }
            return (204, [:])
        }
        try await TestReceiver.with(answering: hang) { receiver in
            // As many places as one account may take, and one more.
            let settings: @Sendable (inout PushSettings) -> Void = { ($0.parallel, $0.timeout) = (5, .seconds(600)) }
            try await PushScene.with(settings: settings) { scene in
                let cleo = try await scene.service.person("cleo")
                try await scene.service.add(cleo, to: scene.list, of: scene.anna)
                for _ in 0..<10 { try await scene.webhook(receiver.url("/ben"), of: scene.ben) }
                try await scene.visit()
                try await eventually {
                    receiver.log.open(at: "/ben")
                } until: {
                    $0 >= 4
                }
                try await scene.webhook(receiver.url("/cleo"), of: cleo)
                for round in 1...3 {
                    try await scene.visit()
                    try await eventually {
                        receiver.log.at("/cleo").count
                    } until: {
                        $0 >= round
                    }
                }
                #expect(receiver.log.open(at: "/ben") == 4)
                #expect(receiver.log.mostOpen(at: "/ben") == 4)
            }
        }
    }

    @Test("a webhook that hangs doesn't delay the same account's other webhooks")
    func hangingBesideOthers() async throws {
        let hang: @Sendable (ReceivedRequest, Int) async throws -> (Int, [String: String]) = { request, _ in
            if request.path == "/hangs" { try await TestReceiver.hang() }
            return (204, [:])
        }
        try await TestReceiver.with(answering: hang) { receiver in
            try await PushScene.with(settings: { $0.timeout = .seconds(3600) }) { scene in
                for _ in 0..<3 { try await scene.webhook(receiver.url("/hangs"), of: scene.ben) }
                try await scene.visit()
                try await eventually {
                    receiver.log.open(at: "/hangs")
                } until: {
                    $0 >= 3
                }
                // Two more, made while the others hang. All that this account has left is one place.
                for path in ["/one", "/two"] { try await scene.webhook(receiver.url(path), of: scene.ben) }
                try await scene.visit(from: 3)
                for path in ["/one", "/two"] {
                    try await eventually("\(path)") {
                        receiver.log.at(path).count
                    } until: {
                        $0 > 0
                    }
                }
                #expect(receiver.log.open(at: "/hangs") == 3)
            }
        }
    }

    @Test("diagnostics don't tell a private name from one without an address", arguments: [true, false])
    func uniformReason(isPrivate: Bool) async throws {
        // `.invalid` never resolves (RFC 6761).
        let host = isPrivate ? "localhost" : "nothing.invalid"
        try await PushScene.with(settings: { ($0.allowsPrivateAddresses, $0.attempts) = (false, 3) }) { scene in
            try await scene.webhook("https://\(host)/x", of: scene.ben)
            try await scene.visit()
            let letters = try await scene.deadLetters(of: scene.ben)
            #expect(letters.contains(#""failure":"noPublicAddress""#) && letters.contains(#""attempts":3"#))
        }
    }

    @Test("an endpoint that doesn't answer in time has failed, and then waits with those that fail")
    func timeOut() async throws {
        let hang: @Sendable (ReceivedRequest, Int) async throws -> (Int, [String: String]) = { _, _ in
            try await TestReceiver.hang()
            return (204, [:])
        }
        try await TestReceiver.with(answering: hang) { receiver in
            let settings: @Sendable (inout PushSettings) -> Void = { ($0.timeout, $0.attempts) = (.seconds(3), 1) }
            try await PushScene.with(settings: settings) { scene in
                let webhook = try await scene.webhook(receiver.url("/x"), of: scene.ben)
                #expect(!webhook.failing)
                try await scene.visit()
                #expect(try await scene.deadLetters(of: scene.ben).contains(#""failure":"timedOut""#))
                let answer: WebhooksResponse = try await scene.service.call(
                    "GET", Path.webhooks, token: scene.ben.token
                ).decode()
                #expect(answer.webhooks.map(\.failing) == [true])
            }
        }
    }

    @Test("a delivery that fails for the last time is a dead letter with its reason")
    func deadLetters() async throws {
        try await TestReceiver.with(answering: { _, _ in (500, [:]) }) { receiver in
            try await PushScene.with(settings: { $0.attempts = 3 }) { scene in
                try await scene.webhook(receiver.url("/x"), of: scene.ben)
                try await scene.visit()
                let letters = try await scene.deadLetters(of: scene.ben)
                #expect(letters.contains(#""attempts":3"#) && letters.contains(#""failure":"status 500""#))
                #expect(letters.contains(#""kind":"webhook""#))
                #expect(receiver.log.all.count == 3)
            }
        }
    }

    @Test("the body of an answer is not read, even if it never ends")
    func endlessAnswer() async throws {
        try await TestReceiver.with(endless: true) { receiver in
            try await PushScene.with(settings: { $0.timeout = .seconds(600) }) { scene in
                try await scene.webhook(receiver.url("/x"), of: scene.ben)
                try await scene.visit()
                try await scene.waitUntilSent()
                #expect(receiver.log.all.count == 1)
            }
        }
    }

    @Test("the head of an answer is bounded")
    func longHead() async throws {
        let long = ["x-long": String(repeating: "x", count: 70_000)]
        try await TestReceiver.with(answering: { _, _ in (200, long) }) { receiver in
            try await PushScene.with(settings: { $0.attempts = 1 }) { scene in
                try await scene.webhook(receiver.url("/x"), of: scene.ben)
                try await scene.visit()
                #expect(try await scene.deadLetters(of: scene.ben).contains(#""failure":"unreachable""#))
            }
        }
    }

    @Test("two processes send each message once")
    func twoProcesses() async throws {
        try await TestReceiver.with { receiver in
            try await TestService.withTwo(configure: { PushScene.configure(&$0) }) { one, other in
                let scene = try await PushScene(service: one)
                for index in 0..<5 { try await scene.webhook(receiver.url("/\(index)"), of: scene.ben) }
                for round in 1...4 {
                    try await scene.visit()
                    try await eventually {
                        receiver.log.at("/").count
                    } until: {
                        $0 >= 5 * round
                    }
                }
                try await scene.waitUntilSent()
                #expect(receiver.log.all.count == 20)
                #expect(Set(receiver.log.all.map(\.id)).count == 20)
            }
        }
    }

    @Test("what waits survives a restart")
    func restart() async throws {
        try await TestReceiver.with { receiver in
            try await withTestDatabase(TestService.migrated) { url in
                func configure(_ configuration: inout ServiceConfiguration, isUp: Bool) {
                    PushScene.configure(&configuration) {
                        if !isUp { $0.parallel = 0 }
                    }
                }
                try await TestService.with(TestService.patientPool(url), configure: { configure(&$0, isUp: false) }) {
                    service in
                    let scene = try await PushScene(service: service)
                    try await scene.webhook(receiver.url("/x"), of: scene.ben)
                    try await scene.visit()
                    try await eventually {
                        try await scene.rows("push_delivery")
                    } until: {
                        $0 > 0
                    }
                }
                #expect(receiver.log.all.isEmpty)
                try await TestService.with(TestService.patientPool(url), configure: { configure(&$0, isUp: true) }) {
                    _ in
                    try await eventually {
                        receiver.log.all.count
                    } until: {
                        $0 > 0
                    }
                }
            }
        }
    }

    @Test("webhooks are listed without their secrets, deleted by their account only, and at most ten")
    func administration() async throws {
        try await PushScene.with { scene in
            var webhooks: [WebhookResponse] = []
            for index in 0..<10 {
                webhooks.append(try await scene.webhook("https://hooks.example.com/\(index)", of: scene.ben))
            }
            let eleventh = try await scene.service.call(
                "POST", Path.webhooks, token: scene.ben.token, json: #"{"url":"https://hooks.example.com/"}"#)
            #expect(try eleventh.outcome == "413 quotaExceeded")
            let text = try await scene.service.call("GET", Path.webhooks, token: scene.ben.token).text
            #expect(!text.contains("secret") && text.contains("https://hooks.example.com/9"))
            let first = Path.webhook(webhooks[0].id)
            #expect(try await scene.service.outcome("DELETE", first, token: scene.anna.token) == "404 unknownItem")
            #expect(try await scene.service.outcome("DELETE", first, token: scene.ben.token) == "204")
            #expect(try await scene.service.outcome("DELETE", first, token: scene.ben.token) == "404 unknownItem")
            #expect(try await scene.rows("push_target") == 9)
        }
    }
}
