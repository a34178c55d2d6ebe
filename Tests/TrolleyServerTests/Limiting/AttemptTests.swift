import Synchronization
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Attempts", .timeLimit(.minutes(20)))
struct AttemptTests {
    @Test("guessing a password ends, alike for an address that exists and one that doesn't")
    func guessing() async throws {
        try await TestService.with(configure: { $0.rates.attemptsPerHourByEmail = 4 }) { service in
            let anna = try await service.person("anna")
            var outcomes: [String: [String]] = [:]
            for email in [anna.email, "nobody@example.com"] {
                for _ in 0..<5 {
                    let answer = try await service.signIn(email, password: "wrong horse")
                    outcomes[email, default: []].append(try answer.outcome)
                }
            }
            let refusals = Array(repeating: "401 notAuthenticated", count: 4) + ["429 requestRateLimited"]
            #expect(outcomes == [anna.email: refusals, "nobody@example.com": refusals])
            // A signed-in device stays signed in.
            #expect(try await service.call("GET", Path.lists, token: anna.token).status == 200)
        }
    }

    @Test("a stranger's guesses don't lock a person out at addresses from which they have signed in before")
    func lockedOut() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.attemptsPerHourByEmail = 3
            configuration.proxies.proxies = IPNetwork.loopback
        }) { service in
            let home = ["x-forwarded-for": "203.0.113.1"]
            let anna = try await service.person("anna", headers: home)
            for _ in 0..<5 {
                _ = try await service.signIn(
                    anna.email, password: "wrong horse", headers: ["x-forwarded-for": "198.51.100.1"])
            }
            let stranger = try await service.signIn(
                anna.email, password: TestService.password, headers: ["x-forwarded-for": "198.51.100.1"])
            #expect(try stranger.outcome == "429 requestRateLimited")
            let answer = try await service.signIn(anna.email, password: TestService.password, headers: home)
            #expect(answer.status == 201)
        }
    }

    @Test("a sign-in that succeeds counts as well, by email and by address")
    func success() async throws {
        try await TestService.with(configure: { $0.rates.attemptsPerHourByEmail = 2 }) { service in
            // At an address where a person has signed in, their attempts are counted separately.
            let anna = try await service.person("anna")
            for _ in 0..<2 { _ = try await service.signIn(anna.email) }
            let refused = try await service.signIn(anna.email, password: TestService.password)
            #expect(try refused.outcome == "429 requestRateLimited")
        }
        try await TestService.with(configure: { $0.rates.attemptsPerHourByAddress = 5 }) { service in
            // Two people sign up, and sign in three times.
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            _ = try await service.signIn(anna.email)
            let refused = try await service.signIn(ben.email, password: TestService.password)
            #expect(try refused.outcome == "429 requestRateLimited")
        }
    }

    @Test("an attempt that the service had no room to judge doesn't count")
    func givenBack() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rates.attemptsPerHourByEmail = 3
            configuration.parallelPasswordHashes = 1
            configuration.waitingPasswordHashes = 0
        }) { service in
            let anna = try await service.person("anna")
            try await service.service.hasher.whileBusy {
                for _ in 0..<10 {
                    let answer = try await service.signIn(anna.email, password: TestService.password)
                    let outcome = try answer.outcome
                    #expect(outcome == "503 serviceUnavailable")
                }
            }
            for _ in 0..<3 { _ = try await service.signIn(anna.email) }
            let refused = try await service.signIn(anna.email, password: TestService.password)
            #expect(try refused.outcome == "429 requestRateLimited")
        }
    }

    @Test("an address that fills the line of passwords keeps out itself, and nobody else")
    func fairness() async throws {
        try await TestService.with(configure: { configuration in
            configuration.parallelPasswordHashes = 1
            configuration.waitingPasswordHashes = 4
            configuration.proxies.proxies = IPNetwork.loopback
        }) { service in
            let (home, flood) = (["x-forwarded-for": "203.0.113.1"], ["x-forwarded-for": "198.51.100.1"])
            let anna = try await service.person("anna", headers: home)
            let hasher = service.service.hasher
            try await withThrowingTaskGroup(of: Void.self) { group in
                let outcomes = Outcomes()
                try await hasher.whileBusy {
                    for number in 0..<4 {
                        group.addTask {
                            let answer = try await service.signIn(
                                "x\(number)@example.com", password: "x", headers: flood)
                            let outcome = try answer.outcome
                            outcomes.all.withLock { $0.append(outcome) }
                        }
                    }
                    try await eventually {
                        hasher.waiting
                    } until: {
                        $0 >= 4
                    }
                    group.addTask {
                        let answer = try await service.signIn(
                            anna.email, password: TestService.password, headers: home)
                        let outcome = answer.status == 201 ? "anna" : try answer.outcome
                        outcomes.all.withLock { $0.append(outcome) }
                    }
                    // Her attempt replaces the newest of them.
                    let first = try await eventually {
                        outcomes.all.withLock(\.self)
                    } until: {
                        !$0.isEmpty
                    }
                    #expect(first == ["503 serviceUnavailable"])
                }
                try await group.waitForAll()
                let told = outcomes.all.withLock(\.self)
                #expect(told.count { $0 == "401 notAuthenticated" } == 3 && told.contains("anna"))
            }
        }
    }

    @Test("an address's attempts to sign up, sign in and open invitations are counted together")
    func address() async throws {
        try await TestService.with(configure: { $0.rates.attemptsPerHourByAddress = 5 }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let secret = try await service.invite(nil, to: list, of: anna)
            for _ in 0..<5 {
                #expect(try await service.open(Path.previewInvitation, secret, by: anna).status == 200)
            }
            let deprecated = try await service.call("GET", "/v1/invitations/\(secret)", token: anna.token)
            #expect(deprecated.status == 200 && deprecated.headers["deprecation"] == "@1795305600")
            for caller in [anna, nil] {
                let answer = try await service.open(Path.previewInvitation, "guess", by: caller)
                #expect(try answer.outcome == "404 unknownItem")
            }
            #expect(try await service.signIn("x@example.com", password: "wrong horse").status == 401)
            for secret in [secret, "guess"] {
                let anybody = try await service.open(Path.previewInvitation, secret, by: nil)
                #expect(try anybody.outcome == "429 requestRateLimited")
                for path in [Path.previewInvitation, Path.accept, Path.decline] {
                    #expect(try await service.open(path, secret, by: anna).outcome == "429 requestRateLimited")
                }
                let old = try await service.outcome("GET", "/v1/invitations/\(secret)", token: anna.token)
                #expect(old == "429 requestRateLimited")
            }
            let signUp = try await service.call(
                "POST", Path.accounts, json: #"{"email":"y@example.com","name":"y","password":"12345678"}"#)
            #expect(try signUp.outcome == "429 requestRateLimited")
        }
    }

    @Test("when many people sign in at once, the queue is bounded and the others get a time to retry")
    func storm() async throws {
        try await TestService.with(configure: { configuration in
            configuration.parallelPasswordHashes = 1
            configuration.waitingPasswordHashes = 1
            // Slow enough that a queue forms.
            configuration.passwordCost = PasswordHash.Cost(logRounds: 13, blockSize: 8, parallelism: 1)
        }) { service in
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<12 {
                    group.addTask { try await service.signIn("x\(number)@example.com", password: "x").outcome }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(outcomes) == ["401 notAuthenticated", "503 serviceUnavailable"])
            #expect(try await service.signIn("x@example.com", password: "x").status == 401)
        }
    }
}

extension PasswordHasher {
    /// Runs `body` while no password is hashed; they are hashed one at a time.
    fileprivate func whileBusy(_ body: () async throws -> Void) async throws {
        try await gate.withTurn(of: nil) { try await body() }
    }
}

/// The answers to several callers, in the order of their arrival.
private final class Outcomes: Sendable {
    let all = Mutex<[String]>([])
}

extension TestService {
    fileprivate func signIn(_ email: String, password: String, headers: [String: String] = [:]) async throws -> Answer {
        try await call(
            "POST", Path.sessions, body: Array(#"{"email":"\#(email)","password":"\#(password)"}"#.utf8),
            headers: headers)
    }

    /// Signs somebody up and in from an address.
    fileprivate func person(_ name: String, headers: [String: String]) async throws -> Person {
        let email = "\(name)@example.com"
        let body = #"{"email":"\#(email)","name":"\#(name)","password":"\#(Self.password)"}"#
        try #require(
            try await call("POST", Path.accounts, body: Array(body.utf8), headers: headers).status == 201)
        let session: SessionResponse = try await signIn(email, password: Self.password, headers: headers).decode()
        return Person(email: email, account: session.account.id, device: session.device.id, token: session.token)
    }
}
