import FoundationEssentials
import Subprocess
import Testing

/// What others wrote, in the terminals of the operator and of people: `ESC[8m` hides what follows.
@Suite(.timeLimit(.minutes(20))) struct HostileTextTests {
    private static let hostile = "A\u{1B}[8mB\u{9B}2J\u{202E}C"
    private static let shown = "A\u{FFFD}[8mB\u{FFFD}2J\u{FFFD}C"

    @Test func `no command of either program passes control characters of others on`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let (data, file) = ("\(directory)/data", "\(directory)/export.json")
            try await RunningService.run(dataDirectory: data) { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                // Lists and items are entries, which old devices make as well.
                try await alice("new", Self.hostile)
                try await alice("add", "milk", "--quantity", Self.hostile)
                try await alice("add", Self.hostile)
                try await alice("sync")
                for arguments in [["show"], ["lists"], ["activity"], ["queue"], ["export", "--as", "markdown"]] {
                    let result = try await alice.run(arguments)
                    #expect(result.status == .exited(0), "\(arguments)")
                    if arguments[0] != "export" { expectHarmless(result.output, arguments) }
                }
                #expect(try await alice("show").contains(Self.shown))
                let typed = try await Programs.output(inTerminal: "trolley export --as markdown", home: alice.home)
                // The terminal adds carriage returns.
                let lines = String(String.UnicodeScalarView(typed.unicodeScalars.filter { $0 != "\r" }))
                expectHarmless(lines, ["export in a terminal"])

                try Data(try await alice("diagnostics", "--with-content").utf8).write(
                    to: URL(filePath: "\(directory)/diagnostics.json"))
                expectHarmless(try await alice("inspect", "\(directory)/diagnostics.json"), ["inspect"])
                try await alice("export", "--output", file)

                // Names from before the service refused them.
                let name = "UPDATE account SET name = U&'A\\001B[8mB\\009B2J\\202EC'"
                _ = try await Programs.output(
                    of: .name("psql"), "--no-psqlrc", "--quiet", "--host", "\(data)/socket", "--username", "trolley",
                    "--command", name, "trolley")
                for arguments in [
                    ["accounts"], ["import", "--account", "alice@example.com", file],
                    ["diagnostics", "--account", "alice@example.com", "--with-content"], ["doctor"],
                ] {
                    let result = try await Subprocess.run(
                        Programs.trolleyd, arguments: Arguments(arguments + ["--data-directory", data]),
                        output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
                    #expect(result.terminationStatus.isSuccess, "\(arguments): \(result.standardError)")
                    expectHarmless(result.standardOutput, arguments)
                    if arguments[0] == "accounts" { #expect(result.standardOutput.contains(Self.shown)) }
                }
                // JSON has the name itself.
                let json = try await Programs.output(
                    of: Programs.trolleyd, "accounts", "--json", "--data-directory", data)
                expectHarmless(json, ["accounts --json"])
                let accounts = try JSONDecoder().decode(Accounts.self, from: Data(json.utf8)).accounts
                #expect(accounts.map(\.name) == [Self.hostile])
                let unknown = try await Subprocess.run(
                    Programs.trolleyd,
                    arguments: ["accounts", "--sign-out", "a\u{1B}[8m@example.com", "--data-directory", data],
                    output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
                #expect(unknown.standardError.contains("no account has the email"))
                expectHarmless(unknown.standardError, ["an error"])
            }
        }
    }

    private struct Accounts: Decodable {
        struct Account: Decodable { let name: String }
        let accounts: [Account]
    }

    private func expectHarmless(_ text: String, _ command: [String]) {
        let found = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
        #expect(found.isEmpty, "\(command) prints \(found.map { String($0.value, radix: 16) })")
    }
}
