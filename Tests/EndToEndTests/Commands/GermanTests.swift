import Subprocess
import Testing

/// The command line on a German system.
@Suite("The command line in German", .timeLimit(.minutes(20)))
struct GermanTests {
    private static let german = "de_DE.UTF-8"

    /// The text, with `…` for what differs from run to run.
    private func steady(_ text: String) -> String {
        text.replacing(/gerade eben|vor \d+ Minuten?|heute \d\d:\d\d/, with: "…")
            .replacing(/\d\d\.\d\d\.\d{4} \d\d:\d\d/, with: "DATUM").replacing(/join '[^']+'/, with: "join '…'")
            .replacing(/--before \S+/, with: "--before …")
    }

    private func expect(_ told: String, _ wanted: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(told == wanted, sourceLocation: sourceLocation)
    }

    @Test func `a household's evening`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna", locale: Self.german)
            let ben = CommandLineDevice(home: "\(directory)/ben", locale: Self.german)
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                expect(
                    try await anna(
                        "sign-up", service.address, "--email", "anna@example.com", "--name", "Anna", "--device-name",
                        "Handy"),
                    """
                    Angemeldet als Anna <anna@example.com>.
                    Als Nächstes: trolley new Wocheneinkauf

                    """)
                expect(
                    try await anna("new", "Wocheneinkauf"),
                    "„Wocheneinkauf“ ist angelegt und jetzt die aktuelle Liste.\n")
                expect(try await anna("add", "Milch", "Eier, 6"), "2 Einträge hinzugefügt.\n")
                expect(try await anna("add", "Brot"), "Brot hinzugefügt.\n")
                expect(
                    try await anna("add", "Brot"),
                    "Schon auf der Liste: Brot. Um es noch einmal hinzuzufügen: trolley add --again\n")
                expect(
                    try await anna("show"),
                    """
                    Wocheneinkauf  3 zu besorgen
                    1. [ ] Milch
                    2. [ ] Eier × 6
                    3. [ ] Brot

                    """)
                expect(try await anna("off", "Milch"), "Milch abgehakt.\n")
                expect(try await anna("off", "Milch"), "Milch ist schon abgehakt.\n")
                expect(try await anna("edit", "Brot", "--note", "mit Körnern"), "Brot geändert.\n")

                let invitation = try await anna("invite")
                expect(
                    steady(invitation),
                    """
                    Eine Einladung für die erste Person, die sie öffnet, gültig bis DATUM:
                      trolley join '…'

                    """)
                let link = try #require(invitation.firstMatch(of: /join '([^']+)'/)?.output.1)
                try await ben(
                    "sign-up", service.address, "--email", "ben@example.com", "--name", "Ben", "--device-name", "Tablet"
                )
                expect(
                    try await ben("join", String(link)),
                    "Du bist auf „Wocheneinkauf“. Das ist jetzt die aktuelle Liste.\n")
                expect(
                    try await ben.fails("off", "Käse"),
                    "Fehler: Einen Eintrag „Käse“ gibt es auf der Liste nicht. Alle zeigen: trolley show\n")
                expect(try await ben("off", "Eier"), "Eier abgehakt.\n")
                expect(try await ben("say", "Noch etwas?"), "Gesagt.\n")

                expect(try await anna("sync"), "0 gesendet, 3 empfangen.\n")
                expect(
                    steady(try await anna("activity", "--limit", "3")),
                    """
                    …  9  Ben hat geschrieben: „Noch etwas?“
                    …  8  Ben hat „Eier“ abgehakt
                    …  7  Ben macht mit
                    Ältere Änderungen: trolley activity --before …

                    """)
                expect(try await anna("undo"), "Rückgängig gemacht: 1 Änderung.\n")
                expect(try await anna("redo"), "Wiederholt: 1 Änderung.\n")
                expect(steady(try await anna("messages")), "1  …  Ben: Noch etwas?\n")
                expect(try await anna("lists"), "* Wocheneinkauf  1 zu besorgen, geteilt mit 1\n")
                expect(
                    String(try await anna("participants").split(separator: "\n")[0]),
                    "Anna <anna@example.com>  besitzt die Liste, macht mit, hat bis 4 gelesen")
                expect(
                    steady(try await anna("where", "Eier")),
                    "Wocheneinkauf: „Eier“ wurde abgehakt von Ben …, hinzugefügt von dir …\n")
                expect(try await anna("shopping", "on"), "Neues von anderen wartet: trolley apply\n")
                try await ben("add", "Marmelade")
                try await anna("sync")
                expect(
                    String(try await anna("show").split(separator: "\n")[1]),
                    "1 neuer Eintrag von anderen: Marmelade. Um sie zu zeigen: trolley apply")
                expect(try await anna("apply"), "1 Änderung übernommen. Neu: Marmelade.\n")
            }
            let waiting = try await anna("add", "Käse")
            expect(
                waiting,
                """
                Käse hinzugefügt.
                Noch zu senden: 1 Änderung. Der Dienst ist nicht zu erreichen: Die Verbindung wurde abgewiesen.

                """)
            #expect(
                try await anna("queue")
                    == "Wocheneinkauf\n  1 zu senden: 1 Hinzufügen\nUm es noch einmal zu versuchen: trolley sync\n")
        }
    }

    @Test func `wrong use, help and questions`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna", locale: Self.german)
            #expect(
                try await anna.fails("lists", "--nonsense") == """
                    Fehler: Die Option „--nonsense“ gibt es nicht.
                    Aufruf: trolley lists [--json] [--home <directory>] [--ca-file <file>] [--insecure] [--language <code>] [--log <level>]
                      Mehr dazu: trolley lists --help

                    """)
            #expect(
                try await anna.fails("kaufen").hasPrefix("Fehler: Den Befehl „kaufen“ gibt es nicht.\nAufruf: trolley ")
            )
            #expect(try await anna.run("move", "Milch").status == .exited(64))
            let help = try await anna("off", "--help")
            #expect(
                help.hasPrefix(
                    "ÜBERSICHT: Einträge abhaken: Sie liegen im Wagen.\n\nBeispiel:\n  trolley off milk eggs\n"))
            #expect(try await anna("help", "off") == help)
            #expect(
                try await anna.fails("show")
                    == "Fehler: Auf diesem Gerät gibt es noch keine Liste. Lege eine an: trolley new Wocheneinkauf\n")
            try await anna("new", "Einkauf", "--local")
            try await anna("add", "Milch")
            try await anna("add", "Eier")
            for (answer, isPutBack) in [("n\n", false), ("j\n", true)] {
                let asked = try await Programs.output(
                    inTerminal: "trolley restore --to 2", home: anna.home, locale: Self.german, input: answer)
                #expect(
                    asked.contains("1 Änderung; entfernt: Eier.") && asked.contains("Liste zurücksetzen? [j/N]"),
                    "\(asked)")
                #expect(try await anna("show").contains("Eier") != isPutBack)
            }
        }
    }

    @Test func `JSON is the same in every language`() async throws {
        try await withTemporaryDirectory { directory in
            let english = CommandLineDevice(home: "\(directory)/home")
            let german = CommandLineDevice(home: "\(directory)/home", locale: Self.german)
            try await german("new", "Einkauf", "--local")
            try await german("add", "Milch", "Eier", "Eierlikör")
            try await german("off", "Milch")
            for arguments in [
                ["lists"], ["show"], ["queue"], ["suggest"], ["aisles"], ["trips"], ["messages"], ["activity"],
                ["where", "Milch"],
                ["replay", "--through", "2"], ["export", "--as", "csv"],
                // Errors and wrong use, with their sentences.
                ["whoami"], ["off", "Käse"], ["off", "Ei"], ["use", "Fest"], ["add"], ["show", "--nonsense"],
                ["participants"], ["import", "/nowhere.txt"], ["shopping", "perhaps"], ["undo", "--list", "Fest"],
            ] {
                let (first, second) = try await (
                    english.run(arguments + ["--json"]), german.run(arguments + ["--json"])
                )
                #expect(first.output == second.output && first.errors == second.errors, "\(arguments)")
                #expect(first.output.hasPrefix("{"), "\(arguments): \(first.output)")
            }
            #expect(
                try await english("--generate-completion-script", "zsh")
                    == german("--generate-completion-script", "zsh"))
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mark_off","arguments":{"items":["Käse"]}}}"#
            let answer = try await german("mcp", input: request + "\n")
            #expect(answer.contains("There is no item 'Käse' on the list."), "\(answer)")
        }
    }

    @Test func `the first locale that is set decides, and another language than German is English`() async throws {
        try await withTemporaryDirectory { directory in
            func answer(_ locales: [Environment.Key: String?]) async throws -> String {
                let none: [Environment.Key: String?] = [
                    "LC_ALL": nil, "LC_MESSAGES": nil, "LANG": nil, "TROLLEY_HOME": directory,
                ]
                let result = try await Subprocess.run(
                    Programs.trolley, arguments: ["use", "Fest"],
                    environment: .inherit.updating(none.merging(locales) { $1 }), input: .none, output: .discarded,
                    error: .string(limit: 1 << 16))
                return result.standardError
            }
            let english = "Error: There is no list 'Fest' here. See them: trolley lists\n"
            let german = "Fehler: Eine Liste „Fest“ gibt es hier nicht. Alle zeigen: trolley lists\n"
            for locales: [Environment.Key: String?] in [
                [:], ["LANG": "C"], ["LANG": "POSIX"], ["LANG": "fr_FR.UTF-8"], ["LC_ALL": "C", "LANG": "de_DE.UTF-8"],
                ["LC_MESSAGES": "en_GB.UTF-8", "LANG": "de_DE.UTF-8"], ["LC_TIME": "de_DE.UTF-8"],
                // The catalogue's language is another one.
                ["TROLLEY_LANGUAGE": "de"],
            ] {
                let told = try await answer(locales)
                #expect(told == english, "\(locales)")
            }
            for locales: [Environment.Key: String?] in [
                ["LANG": "de_DE.UTF-8"], ["LC_MESSAGES": "de_AT", "LANG": "C"],
                ["LC_ALL": "de", "LC_MESSAGES": "en_GB"],
                ["LC_ALL": "", "LANG": "de_CH.UTF-8"], ["LANG": "de_DE.UTF-8", "TROLLEY_LANGUAGE": "en"],
            ] {
                let told = try await answer(locales)
                #expect(told == german, "\(locales)")
            }
        }
    }
}
