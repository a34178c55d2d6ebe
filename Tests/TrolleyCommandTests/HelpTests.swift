import ArgumentParser
import Testing

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct HelpTests {
    static let commands =
        Trolley.configuration.subcommands + Trolley.configuration.groupedSubcommands.flatMap(\.subcommands)

    @Test func `the help of every command shows an example, and every command takes --json`() {
        for command in Self.commands {
            let help = Trolley.helpMessage(for: command, columns: 100)
            #expect(help.contains("Example:\n  trolley \(command.configuration.commandName ?? "?")"), "\(command)")
            #expect(help.contains("--json"), "\(command)")
        }
    }

    @Test func `invalid arguments are wrong use`() async {
        for arguments in [
            ["off"], ["move", "milk"], ["move", "milk", "--top", "--after", "eggs"], ["edit", "milk"], ["new", " "],
            ["add"], ["add", "x", "--top", "--after", "y"], ["nonsense"], ["shopping", "perhaps"],
            ["show", "--nonsense"], ["webhooks", "add"], ["webhooks", "remove"], ["webhooks", "nonsense"],
            ["webhooks", "add", "ftp://example.com/"], ["webhooks", "--content"],
            ["webhooks", "remove", "https://example.com/", "--content"],
            ["tokens", "add"], ["tokens", "revoke"], ["tokens", "add", "x", "--days", "0"], ["tokens", "--read-only"],
        ] {
            await #expect(throws: (any Error).self) {
                do {
                    _ = try await Trolley.asyncParseAsRoot(arguments)
                } catch {
                    #expect(Trolley.exitCode(for: error).rawValue == 64, "\(arguments)")
                    throw error
                }
            }
        }
    }

    @Test func `a dash is standard input, and what follows two dashes is text`() async throws {
        #expect(try await AddCommand.asyncParse(["-"]).text == ["-"])
        #expect(try await AddCommand.asyncParse(["--", "--json"]).text == ["--json"])
    }
}
