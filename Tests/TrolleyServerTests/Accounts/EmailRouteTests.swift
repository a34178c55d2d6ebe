import Foundation
import Logging
import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Proof of an address", .timeLimit(.minutes(20)))
struct EmailRouteTests {
    private static let bob = "bob@example.com"

    @Test(
        "somebody who signed up with another's address doesn't keep that person from a named invitation: mail proves whose it is"
    )
    func impostor() async throws {
        try await TestMailServer.with { mail in
            try await TestService.with(connections: 4, mail: mail.command) { service in
                let (anna, mallory) = (try await service.person("anna"), try await service.person("bob"))
                let (list, own) = (try await service.list(of: anna), try await service.list(of: mallory))
                try await service.add(anna, to: own, of: mallory)
                let secret = try await service.invite(Self.bob, to: list, of: anna)
                #expect(try await service.signUp(Self.bob).outcome == "409 serverRecordChanged")

                #expect(try await service.sendCode(to: "Bob@Example.com").status == 204)
                let message = try mail.next()
                #expect(message.recipients == ["Bob@Example.com"] && message.sender == "lists@example.com")
                let code = try #require(message.text.firstMatch(of: /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/)).0
                let signedUp = try await service.signUp(Self.bob, code: String(code))
                #expect(try signedUp.decode(AccountResponse.self).emailVerified == true)
                let bob = try await service.signIn(Self.bob)
                #expect(bob.account != mallory.account)

                #expect(try await service.open(Path.accept, secret, by: mallory).outcome == "404 unknownItem")
                #expect(try await service.open(Path.accept, secret, by: bob).status == 200)
                // The other account keeps everything but the address, and can sign in with the address that replaced
                // it.
                let left: AccountResponse = try await service.call("GET", Path.account, token: mallory.token).decode()
                #expect(left.email == "\(mallory.account)@unverified.invalid" && left.emailVerified == false)
                #expect(try await service.signIn(left.email).account == mallory.account)
                let share = try await service.changes(own, for: anna).changes.compactMap { change in
                    if case .share(let share) = change.body { share } else { nil }
                }.last
                #expect(share?.participants.first { $0.account == mallory.account }?.email == left.email)
                #expect(try await service.signUp(left.email).outcome == "400 invalidArguments", "nobody else gets it")
                #expect(
                    try await service.signUp(Self.bob, code: String(code)).outcome == "403 permissionFailure", "once")
            }
        }
    }

    @Test("an account verifies its address, and then nobody takes it; another address takes the password as well")
    func verifying() async throws {
        try await TestMailServer.with { mail in
            try await TestService.with(connections: 4, mail: mail.command) { service in
                let bob = try await service.person("bob")
                _ = try await service.sendCode(to: Self.bob)
                let code = try mail.nextCode()
                for (email, wrong) in [(Self.bob, "0000"), ("eve@example.com", code)] {
                    let answer = try await service.verify(email, wrong, by: bob, password: TestService.password)
                    #expect(try answer.outcome == "403 permissionFailure")
                }
                let verified = try await service.verify(Self.bob, code.lowercased(), by: bob)
                #expect(try verified.decode(AccountResponse.self).emailVerified == true)
                _ = try await service.sendCode(to: Self.bob)
                let second = try mail.nextCode()
                #expect(try await service.signUp(Self.bob, code: second).outcome == "409 serverRecordChanged")

                _ = try await service.sendCode(to: "robert@example.com")
                let third = try mail.nextCode()
                #expect(
                    try await service.verify("robert@example.com", third, by: bob).outcome == "400 invalidArguments")
                let wrong = try await service.verify("robert@example.com", third, by: bob, password: "wrong horse")
                #expect(try wrong.outcome == "403 permissionFailure")
                let moved = try await service.verify(
                    "robert@example.com", third, by: bob, password: TestService.password)
                #expect(try moved.decode(AccountResponse.self).email == "robert@example.com")
                #expect(try await service.signIn("robert@example.com").account == bob.account)
                _ = try await service.person("bob")
                let mallory = try await service.person("mallory")
                _ = try await service.sendCode(to: "robert@example.com")
                let fourth = try await service.verify(
                    "robert@example.com", try mail.nextCode(), by: mallory, password: TestService.password)
                #expect(try fourth.outcome == "409 serverRecordChanged")
            }
        }
    }

    @Test("an address gets at most five codes an hour, and an invalid address gets none")
    func bounded() async throws {
        try await TestMailServer.with { mail in
            try await TestService.with(mail: mail.command) { service in
                for _ in 0..<5 {
                    #expect(try await service.sendCode(to: Self.bob).status == 204)
                    _ = try mail.next()
                }
                let sixth = try await service.sendCode(to: "BOB@example.com")
                #expect(try sixth.outcome == "429 requestRateLimited")
                for address in [
                    "a,bob@example.com", "<bob@example.com", "bob@example.com>", #"\"b\"@example.com"#, "bob@exa_mple",
                ] {
                    #expect(try await service.sendCode(to: address).outcome == "400 invalidArguments", "\(address)")
                }
                let config: ConfigResponse = try await service.call("GET", Path.config).decode()
                #expect(config.mail == true)
                let metrics = try await service.call("GET", "/metrics").text
                #expect(metrics.contains(#"trolley_mails_total{outcome="sent"} 5"#))
            }
        }
    }

    @Test(
        "mail that can't be sent is said to the person, the log and the doctor, without the address, and costs no code")
    func failing() async throws {
        let lines = Lines()
        let log = Logger(label: "test") { _ in JSONLogHandler { lines.append($0) } }
        try await TestMailServer.with { mail in
            try await TestService.with(log: log, mail: mail.command) { service in
                for _ in 0..<6 {
                    let answer = try await service.sendCode(to: "refused@example.com")
                    #expect(try answer.outcome == "503 serviceUnavailable")
                }
                let text = lines.text
                #expect(
                    text.contains("mail could not be sent") && text.contains("exited(") && !text.contains("refused@"))
                let finding = await Doctor(pool: service.pool, compressionAge: 0, clock: { Timestamp(milliseconds: 0) })
                    .examine().first { $0.check == "delivery" }
                #expect(finding?.verdict == .warning && finding?.message.contains("refused@") == false)
                let codes = try await service.pool.withConnection { try await $0.execute("SELECT FROM email_code") }
                #expect(codes.isEmpty)
            }
        }
    }

    @Test("the number of mails is limited by address and in total, whoever the recipient is")
    func strangers() async throws {
        let hosts = (1...3).map { ["x-forwarded-for": "203.0.113.\($0)"] }
        try await TestService.with(
            mail: "sh -c 'cat >/dev/null'",
            configure: { configuration in
                configuration.rates.mailsPerHour = 12
                configuration.stopRateClock()
                configuration.proxies.proxies = IPNetwork.loopback
            }
        ) { service in
            var outcomes: [String] = []
            for number in 1...20 {
                let answer = try await service.sendCode(to: "stranger\(number)@example.com", headers: hosts[0])
                outcomes.append(answer.status == 204 ? "sent" : try answer.outcome)
            }
            let refused = "429 requestRateLimited"
            #expect(
                outcomes
                    == Array(repeating: "sent", count: 10) + Array(repeating: refused, count: 10))
            for (number, host) in [(1, hosts[1]), (2, hosts[2])] {
                #expect(try await service.sendCode(to: "other\(number)@example.com", headers: host).status == 204)
            }
            #expect(try await service.sendCode(to: "other3@example.com", headers: hosts[2]).outcome == refused)
        }
    }

    @Test("a client whose mail hangs doesn't take the turn of another one")
    func hanging() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "trolley-mail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        // Slow mails hang until this file is there; then they fail.
        let end = directory.appending(path: "end").path
        let program =
            "sh -c 'case \"$(cat)\" in *\"To: slow\"*) until [ -e \(end) ]; do sleep 0.1; done; exit 1;; esac'"
        try await TestService.with(
            connections: 4, mail: program,
            configure: { configuration in
                configuration.mail?.timeout = .seconds(600)
                configuration.proxies.proxies = IPNetwork.loopback
            }
        ) { service in
            let mailer = try #require(service.service.mailer)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...10 {
                    let message = try #require(
                        MailMessage(to: EmailAddress(unchecked: "slow\(number)@example.com"), subject: "x", body: "y"))
                    group.addTask {
                        await #expect(throws: Problem.self) {
                            try await mailer.send(message, from: IPAddress("203.0.113.1"))
                        }
                    }
                }
                try await eventually {
                    mailer.gate.waiting
                } until: {
                    $0 >= 2
                }
                let answer = try await service.sendCode(
                    to: Self.bob, headers: ["x-forwarded-for": "203.0.113.2"])
                #expect(answer.status == 204)
                try Data().write(to: URL(filePath: end))
                try await group.waitForAll()
            }
        }
    }

    @Test("without mail the operator's word counts: a code for the address, or the account marked")
    func withoutMail() async throws {
        try await TestService.with(connections: 4) { service in
            let mallory = try await service.person("bob")
            #expect(try await service.sendCode(to: Self.bob).outcome == "400 invalidArguments")
            #expect(try await service.call("GET", Path.config).decode(ConfigResponse.self).mail == false)
            let open = try await SignUpCode.make(for: nil, lifetime: Age(days: 1), in: service.service.store)
            #expect(try await service.signUp(Self.bob, invitation: open.code).outcome == "409 serverRecordChanged")
            let named = try await SignUpCode.make(for: Self.bob, lifetime: Age(days: 1), in: service.service.store)
            #expect(try await service.signUp(Self.bob, invitation: named.code).status == 201)
            let bob = try await service.signIn(Self.bob)
            #expect(bob.account != mallory.account)

            let carol = try await service.person("carol")
            try await service.service.store.verifyEmail(of: carol.account)
            let again = try await SignUpCode.make(for: carol.email, lifetime: Age(days: 1), in: service.service.store)
            #expect(try await service.signUp(carol.email, invitation: again.code).outcome == "409 serverRecordChanged")
        }
    }

    @Test("deleting an account or declining under another person's address leaves their invitations alone")
    func elsewhere() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, mallory) = (try await service.person("anna"), try await service.person("bob"))
            let list = try await service.list(of: anna)
            _ = try await service.invite(Self.bob, to: list, of: anna)
            let link = try await service.invite(nil, to: list, of: anna)
            #expect(try await service.open(Path.decline, link, by: mallory).status == 204)
            let password = #"{"password":"\#(TestService.password)"}"#
            #expect(try await service.call("DELETE", Path.account, token: mallory.token, json: password).status == 204)
            let open = try await service.call("GET", Path.invitations(list), token: anna.token)
            #expect(try open.decode(InvitationsResponse.self).invitations.map(\.email) == [Self.bob])
        }
    }
}

@Suite("The operator's mail program", .timeLimit(.minutes(20)))
struct MailCommandTests {
    @Test("a command is words; quotation marks hold one together; no shell reads it")
    func words() throws {
        let command = try #require(MailCommand(#"  msmtp -t --file '/etc/my mail' "a'b" $HOME;id  "#))
        #expect(command.program == "msmtp")
        #expect(command.arguments == ["-t", "--file", "/etc/my mail", "a'b", "$HOME;id"])
        for text in ["", "  ", "''", "msmtp 'x"] { #expect(MailCommand(text) == nil, "\(text)") }
        #expect(MailCommand("env")?.isInstalled == true && MailCommand("/bin/sh -c x")?.isInstalled == true)
        #expect(MailCommand("no-such-program")?.isInstalled == false)
    }

    @Test("a program that fails, isn't there, never ends or doesn't read is a failure with a reason")
    func failures() async throws {
        let message = try #require(
            MailMessage(to: EmailAddress(unchecked: "bob@example.com"), subject: "x", body: "y"))
        func failure(_ text: String, timeout: Duration = .seconds(30)) async throws -> String {
            var command = try #require(MailCommand(text))
            command.timeout = timeout
            do throws(MailFailure) { try await command.send(message) } catch { return error.description }
            return "none"
        }
        #expect(
            try await failure("sh -c 'cat >/dev/null; echo no bob@example.com here >&2; exit 78'").contains("no … here")
        )
        #expect(try await failure("no-such-program") == "the program no-such-program doesn't exist")
        // Writing to a program that has ended must not end the service.
        for _ in 0..<100 { #expect(try await failure("false").contains("exited(1)")) }
        #expect(try await failure("sleep 600", timeout: .milliseconds(50)).contains("took longer"))
        #expect(try await failure("sh -c 'test -z \"$TROLLEY_DATABASE_URL$PGPASSWORD\" && cat >/dev/null'") == "none")
    }

    @Test("a message has the required headers, and its date is in the form of RFC 5322")
    func message() throws {
        let message = try #require(
            MailMessage(to: EmailAddress(unchecked: "bob@example.com"), subject: "x", body: "y"))
        let text = message.text(from: "lists@example.com")
        #expect(text.hasPrefix("To: bob@example.com\nFrom: lists@example.com\nSubject: x\nDate: "))
        #expect(text.hasSuffix("\n\ny"))
        #expect(MailMessage.date(Date(timeIntervalSince1970: 0)) == "Thu, 1 Jan 1970 00:00:00 +0000")
        #expect(MailMessage.date(Date(timeIntervalSince1970: 1_795_305_609)) == "Sun, 22 Nov 2026 00:00:09 +0000")
    }
}

extension TestService {
    fileprivate static func with(
        connections: Int = 3, log: Logger = .none, mail: String,
        configure: (inout ServiceConfiguration) -> Void = { _ in }, _ body: (TestService) async throws -> Void
    ) async throws {
        let command = try #require(MailCommand(mail))
        try await with(
            connections: connections, log: log,
            configure: {
                $0.mail = command
                configure(&$0)
            }, body)
    }

    fileprivate func sendCode(to email: String, headers: [String: String] = [:]) async throws -> Answer {
        try await call("POST", Path.emailCodes, body: Array(#"{"email":"\#(email)"}"#.utf8), headers: headers)
    }

    fileprivate func signUp(
        _ email: String, code: String? = nil, invitation: String? = nil
    ) async throws -> Answer {
        let request = SignUpRequest(
            email: email, name: "Bob", password: Self.password, invitation: invitation, emailCode: code)
        return try await call("POST", Path.accounts, body: Array(try JSONEncoder().encode(request)))
    }

    fileprivate func verify(
        _ email: String, _ code: String, by person: Person, password: String? = nil
    ) async throws -> Answer {
        let request = ChangeEmailRequest(email: email, code: code, password: password)
        return try await call(
            "PUT", Path.accountEmail, token: person.token, body: Array(try JSONEncoder().encode(request)))
    }
}
