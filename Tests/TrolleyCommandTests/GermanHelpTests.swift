import ArgumentParser
import FoundationEssentials
import Testing

@testable import trolley

/// No text of the help is left out in German.
@Suite(.timeLimit(.minutes(20))) struct GermanHelpTests {
    /// The help of all commands, as ArgumentParser's `--experimental-dump-help` has it.
    private struct Tool: Decodable { let command: Command }

    private struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// Each text by its place: 'trolley add --note'.
        func texts(below path: String = "") -> [String: String] {
            let path = path.isEmpty ? commandName : "\(path) \(commandName)"
            var texts = [path: abstract ?? ""]
            // Before the examples.
            let text = (discussion ?? "").split(separator: /(Example|Beispiel):\n/, omittingEmptySubsequences: false)
            if let text = text.first, !text.isEmpty { texts["\(path), discussion"] = String(text) }
            for argument in arguments ?? [] {
                texts["\(path) \(argument.name)"] = [argument.abstract, argument.discussion].compactMap(\.self).joined()
            }
            for command in subcommands ?? [] { texts.merge(command.texts(below: path)) { $1 } }
            return texts
        }

        func examples(below path: String = "") -> [String: [String]] {
            let path = path.isEmpty ? commandName : "\(path) \(commandName)"
            let lines = (discussion ?? "").split(separator: "\n").filter { $0.hasPrefix("  ") }
            // A comment behind a command line may differ.
            var examples = [path: lines.map { String($0.split(separator: "#")[0]) }]
            for command in subcommands ?? [] { examples.merge(command.examples(below: path)) { $1 } }
            return examples
        }
    }

    private struct Argument: Decodable {
        struct Name: Decodable { let name: String }

        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let discussion: String?

        var name: String { names?.map(\.name).joined(separator: "/") ?? valueName ?? "?" }
    }

    private func help(_ language: MessageLanguage) throws -> Command {
        let json = MessageLanguage.$current.withValue(language) { Trolley._dumpHelp() }
        return try JSONDecoder().decode(Tool.self, from: Data(json.utf8)).command
    }

    @Test func `each abstract, discussion and option has another text in German`() throws {
        let (english, german) = try (help(.english).texts(), help(.german).texts())
        #expect(english.keys.sorted() == german.keys.sorted())
        #expect(english.count > 300, "the commands and their options: \(english.count)")
        // ArgumentParser's own, which ``ParserText`` has.
        let ofTheParser = /(version|help\/h|h\/help|trolley help.*)$/
        for (place, text) in english where !place.contains(ofTheParser) {
            #expect(!text.isEmpty, "\(place) has no help")
            #expect(german[place] != text, "\(place) has no German: \(text)")
        }
    }

    @Test func `the examples are the same commands in both languages`() throws {
        let (english, german) = try (help(.english).examples(), help(.german).examples())
        #expect(english == german)
        #expect(english["trolley move"] == ["  trolley move milk --after bread", "  trolley move milk --top"])
    }

    @Test func `the headings of the groups, and of a page, are German`() throws {
        func page(_ command: any ParsableCommand.Type) -> String {
            MessageLanguage.$current.withValue(.german) {
                ParserText.german(Trolley.helpMessage(for: command, columns: 100))
            }
        }
        let all = HelpTests.commands + [Trolley.self]
        for command in all {
            let text = page(command)
            for english in ["OVERVIEW", "USAGE", "ARGUMENTS", "OPTIONS", "SUBCOMMANDS", "(default", "(values", "Show "]
            {
                #expect(!text.contains(english), "\(command): \(english)")
            }
        }
        let shopping = page(ShoppingCommand.self)
        #expect(shopping.hasPrefix("ÜBERSICHT: Einkaufen: Was andere hinzufügen, wartet, bis du es übernimmst"))
        for part in [
            "\n\nAUFRUF: trolley shopping ",
            "\n\nARGUMENTE:\n  <mode>                  Ob du einkaufst. (Werte: on, off)\n",
            "\n\nOPTIONEN:\n", "  --version               Die Version zeigen.\n",
            "  -h, --help              Diese Hilfe zeigen.\n", "Beispiel:\n  trolley shopping on\n",
        ] { #expect(shopping.contains(part), "\(part) in\n\(shopping)") }
        #expect(page(InspectCommand.self).contains("14d, 3h, 30m oder 90s. (Vorgabe: 14d)"))
        let root = page(Trolley.self)
        for part in [
            "\n\nBEFEHLE (LISTEN):\n  new                     Eine Liste anlegen und zur aktuellen machen.\n",
            "\n\nBEFEHLE (KONTO):\n", "  Mehr zu einem Befehl: trolley help <subcommand>",
        ] { #expect(root.contains(part), "\(part) in\n\(root)") }
    }
}
