import FoundationEssentials
import Subprocess
import Testing
import TrolleyTestSupport

/// Passwords, devices and accounts, through the programs themselves.
@Suite(.timeLimit(.minutes(20))) struct AccountCommandTests {
    private struct Answer: Decodable {
        struct Device: Decodable {
            let id: String
            let name: String
            let current: Bool
        }
        struct Account: Decodable {
            let email: String
            let devices: Int
            let lists: Int
            let `operator`: Bool
        }
        var devices: [Device]?
        var accounts: [Account]?
        var sessionsEnded: Int?
        var code: String?
        var deleted: Bool?
        var `operator`: Bool?
    }

    private func answer(_ text: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    /// The status of a command that may fail.
    private func status(_ device: CommandLineDevice, _ arguments: String...) async throws -> TerminationStatus {
        try await Subprocess.run(
            Programs.trolley, arguments: Arguments(arguments),
            environment: .inherit.updating(["TROLLEY_HOME": device.home]), output: .discarded, error: .discarded
        ).terminationStatus
    }

    @Test func `a password is changed, forgotten and set anew; devices are listed and signed out; unsent changes stay`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let phone = CommandLineDevice(home: "\(directory)/phone")
            let desk = CommandLineDevice(home: "\(directory)/desk")
            let data = "\(directory)/data"
            try await RunningService.run(dataDirectory: data) { service in
                try await phone("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await phone("new", "Weekly shop")
                try await desk("sign-in", service.address, "--email", "anna@example.com")
                let both = try answer(try await phone("devices", "--json")).devices ?? []
                #expect(both.map(\.current) == [true, false])
                #expect(try await phone("devices").contains("this device"))

                let changed = try answer(try await phone("password", "--json", newPassword: "battery staple"))
                #expect(changed.sessionsEnded == 1)
                #expect(try await status(desk, "sync") == .exited(1))
                #expect(try await status(phone, "sync") == .exited(0))
                try await desk("sign-in", service.address, "--email", "anna@example.com", password: "battery staple")
                let id = try #require(try answer(try await phone("devices", "--json")).devices?.last?.id)
                #expect(try await status(phone, "devices", "--sign-out", both[0].id) == .exited(1), "that is this one")
                #expect(try answer(try await phone("devices", "--sign-out", id, "--json")).devices?.count == 1)
                #expect(try await status(desk, "sync") == .exited(1))

                let made = try await Programs.output(
                    of: Programs.trolleyd, "reset-password", "anna@example.com", "--json", "--data-directory", data)
                let code = try #require(try answer(made).code)
                let set = try await phone("password", "--code", code, newPassword: "correct horse")
                #expect(set.contains("signed in again"))
                #expect(try await status(phone, "add", "milk") == .exited(0))
                #expect(try await status(phone, "sync") == .exited(0))
                let elsewhere = try await Programs.output(
                    of: Programs.trolleyd, "reset-password", "anna@example.com", "--json", "--data-directory", data)
                let other = try #require(try answer(elsewhere).code)
                try await desk(
                    "password", "--code", other, "--server", service.address, "--email", "anna@example.com",
                    newPassword: "correct horse")
                try await desk("sign-in", service.address, "--email", "anna@example.com")
                #expect(try await desk.show().contains("milk"))
            }
        }
    }

    @Test func `an operator lists accounts, signs one out and deletes one, beside the running service`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            let data = "\(directory)/data"
            func trolleyd(_ arguments: String...) async throws -> Answer {
                let result = try await Subprocess.run(
                    Programs.trolleyd, arguments: Arguments(arguments + ["--json", "--data-directory", data]),
                    output: .string(limit: 1 << 20), error: .discarded)
                #expect(result.terminationStatus.isSuccess)
                return try answer(result.standardOutput)
            }
            try await RunningService.run(dataDirectory: data) { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await anna("new", "Weekly shop")
                let accounts = try await trolleyd("accounts").accounts ?? []
                #expect(accounts.map(\.email) == ["anna@example.com"])
                #expect(accounts.map(\.devices) == [1] && accounts.map(\.lists) == [1])
                #expect(accounts.map(\.operator) == [false])
                #expect(try await trolleyd("accounts", "--operator", "anna@example.com").operator == true)
                #expect(try await trolleyd("accounts").accounts?.map(\.operator) == [true])
                #expect(try await trolleyd("accounts", "--no-operator", "anna@example.com").operator == false)
                #expect(try await trolleyd("accounts").accounts?.map(\.operator) == [false])
                #expect(try await trolleyd("accounts", "--sign-out", "anna@example.com").sessionsEnded == 1)
                // Another process ended the session. The service notices within a second.
                while try await status(anna, "devices") == .exited(0) {}
                try await anna("sign-in", service.address, "--email", "anna@example.com")
                let wrong = try await Subprocess.run(
                    Programs.trolleyd,
                    arguments: ["accounts", "--delete", "anna@example.com", "--data-directory", data],
                    output: .discarded, error: .discarded)
                #expect(wrong.terminationStatus == .exited(64), "it is for good")
                #expect(try await trolleyd("accounts", "--delete", "anna@example.com", "--yes").deleted == true)
                #expect(try await trolleyd("accounts").accounts?.isEmpty == true)
            }
        }
    }

    @Test func `an address is verified by mail, and taken from somebody who only claimed it`() async throws {
        try await withTemporaryDirectory { directory in
            let mallory = CommandLineDevice(home: "\(directory)/mallory")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await TestMailServer.with { mail in
                try await RunningService.run(
                    dataDirectory: "\(directory)/data",
                    arguments: ["--mail-command", mail.command, "--mail-from", "Trolley <lists@example.com>"]
                ) { service in
                    try await mallory("sign-up", service.address, "--email", "bob@example.com", "--name", "Mallory")
                    try await mallory("new", "Mine")
                    try await bob("verify", "--server", service.address, "--email", "bob@example.com")
                    let message = try mail.next()
                    #expect(message.text.contains("From: Trolley <lists@example.com>"))
                    let code = try #require(message.text.firstMatch(of: /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/)).0
                    try await bob(
                        "sign-up", service.address, "--email", "bob@example.com", "--name", "Bob", "--code",
                        String(code))
                    try await mallory("add", "milk")
                    #expect(try await mallory.show().contains("milk"))
                    try await bob("verify", "--email", "robert@example.com")
                    let changed = try await bob(
                        "verify", "--email", "robert@example.com", "--code", try mail.nextCode())
                    #expect(changed.contains("robert@example.com is verified"))
                    #expect(try await bob("sign-out").contains("Signed out"))
                    try await bob("sign-in", service.address, "--email", "robert@example.com")
                }
            }
        }
    }
}
