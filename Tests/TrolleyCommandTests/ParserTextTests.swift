import ArgumentParser
import Testing

@testable import trolley

/// What ArgumentParser says about wrong use. A version that says it in other words fails here.
@Suite(.timeLimit(.minutes(20))) struct ParserTextTests {
    private func answer(to arguments: [String]) -> String {
        MessageLanguage.$current.withValue(.german) {
            do {
                _ = try Trolley.parseAsRoot(arguments)
                return ""
            } catch {
                return ParserText.german(Trolley.fullMessage(for: error, columns: 100))
            }
        }
    }

    @Test(arguments: [
        ("show --nonsense", "Die Option „--nonsense“ gibt es nicht."),
        ("show --jsn", "Die Option „--jsn“ gibt es nicht. Meinst du „--json“?"),
        ("show --list", "Zu „--list <list>“ fehlt der Wert."),
        ("show --json=yes", "Zur Option „--json“ gehört kein Wert, auch nicht „yes“."),
        ("show milk", "Das Argument „milk“ ist zu viel."),
        ("show milk eggs", "2 Argumente sind zu viel: „milk“, „eggs“."),
        ("arrange Party --pin --unpin", "„--unpin“ und „--pin“ schließen sich aus."),
        ("off", "Das Argument „<items> ...“ fehlt."),
        ("sign-in http://localhost", "Das Argument „--email <email>“ fehlt."),
        ("shopping perhaps", "Der Wert „perhaps“ geht nicht für „<mode>“. Möglich sind: „on“ und „off“."),
        ("notify loud", "Der Wert „loud“ geht nicht für „<level>“. Möglich sind: „all“, „summaries“ oder „nothing“."),
        ("invite --people two", "Der Wert „two“ geht nicht für „--people <number>“."),
        ("activity --limit 0", "Der Wert „0“ geht nicht für „--limit <number>“: Gib eine ganze Zahl ab 1 an, wie 20."),
        ("show --log loud", "Der Wert „loud“ geht nicht für „--log <level>“. Möglich sind:"),
        ("move milk", "Gib --after oder --top an."),
    ])
    func `wrong use is told in German`(_ line: String, _ sentence: String) {
        let lines = answer(to: line.split(separator: " ").map(String.init)).split(separator: "\n")
        #expect(lines.first.map(String.init) == "Fehler: \(sentence)")
    }

    @Test func `the lines behind an error are German, too`() {
        #expect(
            answer(to: ["use"]) == """
                Fehler: Das Argument „<list>“ fehlt.
                Hilfe: <list>  Die Liste, mit Namen oder Kennung.
                Aufruf: trolley use <list> [--json] [--home <directory>] [--ca-file <file>] [--insecure] [--language <code>] [--log <level>]
                  Mehr dazu: trolley use --help
                """)
    }

    @Test func `a sentence that is not known stays as it is`() {
        #expect(ParserText.german("Fehler: Something else 'x'") == "Fehler: Something else 'x'")
    }
}
