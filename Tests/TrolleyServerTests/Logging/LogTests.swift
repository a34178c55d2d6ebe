import FoundationEssentials
import Logging
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Logs", .timeLimit(.minutes(20)))
struct LogTests {
    @Test("at the finest level, the log of a whole sync holds nothing that people wrote, and no secret")
    func nothingOfPeoples() async throws {
        let lines = Lines()
        try await TestService.with(connections: 4, log: lines.logger(.trace)) { service in
            let (anna, ben) = (try await service.person("annaswer"), try await service.person("benjamin"))
            let list = try await service.list(of: anna)
            let secret = try await service.invite(ben.email, to: list, of: anna)
            _ = try await service.open(Path.previewInvitation, secret, by: ben)
            try await service.call("GET", "/v1/invitations/\(secret)", token: ben.token)
            _ = try await service.open(Path.accept, secret, by: ben)
            try await service.call("POST", "/v1/invitations/\(secret)/accept", token: ben.token)
            let entries = [JournalEntry.add("oatmilk"), .add("rye bread", 2)]
            let token = try await service.upload(entries, to: list, by: anna).token
            _ = try await service.allChanges([list: token], for: ben)
            _ = try await service.changes(list, for: ben, since: token)
            try await service.call("GET", Path.state(list), token: ben.token)
            try await service.call("GET", Path.activity(list), token: ben.token)
            // And what goes wrong.
            try await service.call(
                "POST", Path.sessions, json: #"{"email":"\#(anna.email)","password":"wrong horse"}"#)
            try await service.call("POST", Path.entries(list), token: anna.token, json: #"{"entries":["oatmilk"#)
            _ = try await service.open(Path.previewInvitation, "guessedsecret", by: ben)
            try await service.call("GET", "/v1/invitations/guessedsecret", token: ben.token)
            try await service.call("GET", Path.lists, token: "stolentoken")
            try await service.call("GET", "/v1/oatmilk?secret=rye")
            let browser = try await service.signUpInBrowser().cookie
            _ = try await service.browse("GET", Path.account, browser)
            let cookieToken = String(browser.drop { $0 != "=" }.dropFirst())
            for word in [
                "oatmilk", "rye", "annaswer", "benjamin", TestService.password, "wrong horse", "guessedsecret",
                "stolentoken", secret, anna.token, ben.token, token, cookieToken,
            ] {
                #expect(!lines.text.contains(word), "\(word)")
            }
            for message in ["answered", "appended", "a list has grown", "request failed"] {
                #expect(lines.text.contains(message), "\(message)")
            }
        }
    }

    @Test("a request's name is in the answer, in the problem and in each line about it")
    func requestIDs() async throws {
        let lines = Lines()
        try await TestService.with(log: lines.logger(.debug)) { service in
            let named = try await service.call("GET", Path.lists, headers: ["x-request-id": "from.the-Proxy_1"])
            #expect(named.headers["x-request-id"] == "from.the-Proxy_1")
            #expect(try named.problem.requestID == "from.the-Proxy_1")
            #expect(lines.text.contains("request=from.the-Proxy_1"))
            for bad in [String(repeating: "x", count: 129), "a b", "a\"b", "ünïcode"] {
                let answer = try await service.call("GET", "/healthz", headers: ["x-request-id": bad])
                #expect(answer.headers["x-request-id"] != bad && answer.headers["x-request-id"]?.isEmpty == false)
            }
        }
    }

    @Test("shed requests are no errors in the log; failures are")
    func shedding() async throws {
        let lines = Lines()
        try await TestService.with(
            log: lines.logger(.error),
            configure: { configuration in
                configuration.parallelPasswordHashes = 1
                configuration.waitingPasswordHashes = 0
            }
        ) { service in
            let anna = try await service.person("anna")
            try await service.service.hasher.gate.withTurn(of: nil) {
                let answer = try await service.call(
                    "POST", Path.sessions, json: #"{"email":"\#(anna.email)","password":"x"}"#)
                #expect(try answer.outcome == "503 serviceUnavailable")
            }
            #expect(lines.text == "")
            let metrics = try await service.call("GET", "/metrics").text
            #expect(metrics.contains(#"trolley_rate_limited_total{by="passwords"} 1"#))
            _ = try await service.pool.withConnection { try await $0.execute("DROP TABLE read_mark CASCADE") }
            #expect(try await service.outcome("GET", Path.lists, token: anna.token) == "500 internalError")
            #expect(lines.text.contains("request failed"))
        }
    }

    @Test("that all connections to the database are in use is no error in the log")
    func busyDatabase() async throws {
        let lines = Lines()
        try await withTestDatabase(TestService.migrated) { url in
            var token: String?
            try await TestService.with(try TestService.patientPool(url)) { token = try await $0.person("anna").token }
            var options = Pool.Options()
            options.maximumConnections = 2
            options.acquireTimeout = .milliseconds(300)
            let pool = Pool(try Store.configuration(url), options: options)
            try await TestService.with(pool, log: lines.logger(.error)) { service in
                try await pool.holding(options.maximumConnections) {
                    let outcome = try await service.outcome("GET", Path.lists, token: token)
                    #expect(outcome == "503 serviceUnavailable")
                }
                #expect(lines.text == "")
            }
        }
    }

    @Test("each part has a level of its own, as its setting says")
    func levels() async throws {
        #expect(
            LogLevels("info,events=debug,http=warning")
                == LogLevels(.info, parts: [.events: .debug, .http: .warning]))
        #expect(
            ["", "loud", "info,", "milk=debug", "events=loud", "events=debug=info"].allSatisfy { LogLevels($0) == nil })
        let lines = Lines()
        try await TestService.with(
            log: lines.logger(.info),
            configure: { configuration in
                configuration.logLevels = LogLevels("info,events=debug")
            }
        ) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            #expect(lines.text.contains("a list has grown") && !lines.text.contains("answered"))
        }
    }

    @Test("a line as JSON is one document, whatever is in it")
    func json() throws {
        let lines = Lines()
        var logger = Logger(label: "x") { _ in JSONLogHandler { lines.append($0) } }
        logger[metadataKey: "request"] = "r1"
        logger.info("a \"quoted\"\nmessage", metadata: ["list": "l1"])
        let text = lines.text
        #expect(text.hasSuffix("\n") && text.count { $0 == "\n" } == 1)
        let line = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(line["message"] == "a \"quoted\"\nmessage" && line["level"] == "info")
        #expect(line["request"] == "r1" && line["list"] == "l1" && Timestamp(line["time"] ?? "") != nil)
    }
}

extension Pool {
    /// Runs `body` while `count` connections are lent; however long each takes to come.
    fileprivate func holding(_ count: Int, _ body: () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        var isHeld = false
        while !isHeld {
            do {
                try await withConnection { _ in
                    isHeld = true
                    try await holding(count - 1, body)
                }
            } catch let error as PostgresError where error.kind == .acquireTimedOut && !isHeld {
                // The service's own work, on a busy machine.
            }
        }
    }
}
