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

    @Test(arguments: [MessageLanguage.english, .german])
    func `only the terminal's width breaks a line of the help`(language: MessageLanguage) {
        let columns = 80
        for command in Self.commands + [Trolley.self] {
            let help = MessageLanguage.$current.withValue(language) {
                Trolley.helpMessage(for: command, columns: columns)
            }
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.hasPrefix("USAGE:") }
            #expect(lines.count > 2, "\(command)")
            for (line, next) in zip(lines, lines.dropFirst()) where !line.isEmpty && !line.hasSuffix(":") {
                guard let word = next.split(separator: " ").first, !next.hasPrefix(" ") else { continue }
                #expect(line.count + 1 + word.count >= columns, "\(command): \(line)")
            }
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
            ["invite", "--expires", "0s"], ["invite", "--expires", "3651d"], ["invite", "--people", "101"],
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
