import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Passwords over HTTP", .timeLimit(.minutes(20)))
struct PasswordRouteTests {
    private static let new = "battery staple"

    @Test("a password is changed with the present one: other devices are out, hosted ones too, this one stays")
    func change() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let desk = try await service.signIn(anna.email)
            let speaker = try await service.hosted(of: anna)
            let code = try await service.resetCode(of: anna)
            let answer = try await service.change(by: anna, from: TestService.password, to: Self.new)
            #expect(try answer.decode(PasswordResponse.self).sessionsEnded == 2)
            #expect(try await service.outcome("GET", Path.lists, token: desk.token) == "401 notAuthenticated")
            #expect(try await speaker.get("queue").outcome == "401 notAuthenticated")
            for person in [anna, ben] {
                #expect(try await service.outcome("GET", Path.lists, token: person.token) == "200")
            }
            #expect(try await service.signIn(anna.email, password: TestService.password).status == 401)
            #expect(try await service.signIn(anna.email, password: Self.new).status == 201)
            let late = try await service.reset(anna.email, code, to: TestService.password)
            #expect(try late.outcome == "403 permissionFailure", "a code that was made before undoes nothing")
        }
    }

    @Test("without the present password nothing changes, and a new one must be long enough")
    func refused() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let desk = try await service.signIn(anna.email)
            let wrong = try await service.change(by: anna, from: "wrong horse", to: Self.new)
            #expect(try wrong.outcome == "403 permissionFailure")
            let short = try await service.change(by: anna, from: TestService.password, to: "1234567")
            #expect(try short.outcome == "400 invalidArguments")
            let none = try await service.call(
                "PUT", Path.accountPassword, token: anna.token, json: #"{"newPassword":"\#(Self.new)"}"#)
            #expect(try none.outcome == "400 invalidArguments")
            #expect(try await service.outcome("GET", Path.lists, token: desk.token) == "200")
            #expect(try await service.signIn(anna.email, password: TestService.password).status == 201)
        }
    }

    @Test("an operator's code sets a password once, for its account only, and ends all sessions")
    func reset() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (code, other) = (try await service.resetCode(of: anna), try await service.resetCode(of: anna))
            for (email, wrong) in [(ben.email, code), ("nobody@example.com", code), (anna.email, "0000"), ("\0", code)]
            {
                let answer = try await service.reset(email.replacing("\0", with: "\\u0000"), wrong, to: Self.new)
                #expect(try answer.outcome == "403 permissionFailure")
            }
            #expect(try await service.reset(anna.email, code, to: "short").outcome == "400 invalidArguments")
            let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
            let answer = try await service.reset(anna.email.uppercased(), typed, to: Self.new)
            #expect(try answer.decode(PasswordResponse.self).sessionsEnded == 1)
            #expect(try await service.outcome("GET", Path.lists, token: anna.token) == "401 notAuthenticated")
            #expect(try await service.outcome("GET", Path.lists, token: ben.token) == "200")
            #expect(try await service.signIn(anna.email, password: Self.new).status == 201)
            for used in [code, other] {
                let again = try await service.reset(anna.email, used, to: TestService.password)
                #expect(try again.outcome == "403 permissionFailure")
            }
        }
    }

    @Test("a code whose time is over sets nothing, and is forgotten")
    func expired() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let code = try await service.resetCode(of: anna, lifetime: Age(milliseconds: 0))
            #expect(try await service.reset(anna.email, code, to: Self.new).outcome == "403 permissionFailure")
            try await service.service.store.deleteExpired()
            let left = try await service.pool.withConnection { try await $0.execute("SELECT FROM password_reset") }
            #expect(left.isEmpty)
        }
    }

    @Test("guessing codes is limited as guessing passwords is")
    func guessing() async throws {
        try await TestService.with(configure: { $0.rates.attemptsPerHourByEmail = 3 }) { service in
            var outcomes: [String] = []
            for _ in 0..<4 {
                outcomes.append(try await service.reset("anna@example.com", "0000", to: Self.new).outcome)
            }
            #expect(outcomes == Array(repeating: "403 permissionFailure", count: 3) + ["429 requestRateLimited"])
        }
    }
}

@Suite("Sessions without use", .timeLimit(.minutes(20)))
struct IdleSessionTests {
    private static let hour: Int64 = 3_600_000

    @Test("a session that nobody used for the time that is set opens nothing, a hosted one neither, and is swept away")
    func ended() async throws {
        try await TestService.with(connections: 4, sessionIdle: Self.hour) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let speaker = try await service.hosted(of: ben)
            let old = try await service.hosted(of: ben)
            try await service.age(anna.device, minutes: 61)
            try await service.age(old.device, minutes: 61)
            try await service.age(speaker.device, minutes: 59)
            #expect(try await service.outcome("GET", Path.lists, token: anna.token) == "401 notAuthenticated")
            #expect(try await old.get("queue").outcome == "401 notAuthenticated")
            #expect(try await service.outcome("GET", Path.lists, token: ben.token) == "200")
            #expect(try await speaker.get("queue").status == 200)
            let ended = try await service.service.store.endIdleSessions().ended
            // The service's own sweep may have come first.
            #expect(Set(ended).isSubset(of: [anna.device, old.device]))
            #expect(try await service.service.store.endIdleSessions().ended.isEmpty)
            let hosted = try await service.call("GET", Path.hosted, token: ben.token)
            #expect(try hosted.decode(HostedDevicesResponse.self).devices.map(\.id) == [speaker.device])
            let config: ConfigResponse = try await service.call("GET", Path.config).decode()
            #expect(config.sessionIdle == Self.hour)
            _ = try await service.signIn(anna.email)
        }
    }

    @Test("being used keeps a session, and without a time it never ends")
    func kept() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            try await service.age(anna.device, minutes: 60 * 24 * 3650)
            #expect(try await service.service.store.endIdleSessions().ended.isEmpty)
            #expect(try await service.outcome("GET", Path.lists, token: anna.token) == "200")
            let seen = try await service.pool.withConnection { connection in
                try await connection.execute("SELECT FROM device WHERE last_seen_at > now() - interval '1 minute'")
                    .count
            }
            #expect(seen == 1)
            #expect(try await service.call("GET", Path.config).decode(ConfigResponse.self).sessionIdle == nil)
        }
    }
}

extension TestService {
    fileprivate func resetCode(
        of person: Person, lifetime: Age = Age(milliseconds: 3_600_000)
    ) async throws -> String {
        let account = try await service.store.account(person.account)
        return try await PasswordResetCode.make(for: account, lifetime: lifetime, in: service.store).code
    }

    fileprivate func change(by person: Person, from password: String, to new: String) async throws -> Answer {
        try await call(
            "PUT", Path.accountPassword, token: person.token,
            json: #"{"password":"\#(password)","newPassword":"\#(new)"}"#)
    }

    fileprivate func reset(_ email: String, _ code: String, to password: String) async throws -> Answer {
        try await call(
            "POST", Path.password, json: #"{"email":"\#(email)","code":"\#(code)","newPassword":"\#(password)"}"#)
    }

    fileprivate func signIn(_ email: String, password: String) async throws -> Answer {
        try await call("POST", Path.sessions, json: #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    /// Moves a device's last visit into the past.
    fileprivate func age(_ device: DeviceID, minutes: Int64) async throws {
        try await pool.withConnection { connection in
            _ = try await connection.execute(
                "UPDATE device SET last_seen_at = now() - \(minutes) * interval '1 minute' WHERE id = \(device)")
        }
    }
}
