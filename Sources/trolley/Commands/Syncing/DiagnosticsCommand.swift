import ArgumentParser
import TrolleyClient
import TrolleyWire

struct DiagnosticsCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "diagnostics",
            abstract: localized(
                "Write a diagnostic log for a problem report: ids, counts and times, but nothing that you wrote.",
                de: """
                    Ein Diagnoseprotokoll für eine Fehlermeldung ausgeben: Kennungen, Zahlen und Zeiten, aber nichts, was du \
                    geschrieben hast.
                    """),
            discussion: discussion(
                """
                Prints one JSON document, with or without --json. 'trolley inspect' compares it with another device's or
                with the service's ('trolleyd diagnostics --json'), and names the first entry that differs.
                """,
                de: """
                    Gibt ein JSON-Dokument aus, mit oder ohne --json. „trolley inspect“ vergleicht es mit dem eines anderen \
                    Geräts oder des Dienstes („trolleyd diagnostics --json“) und nennt die erste Änderung, die verschieden \
                    ist.
                    """,
                examples: """
                    trolley diagnostics > trolley-diagnostics.json
                    """))
    }

    @Flag(
        help: .localized(
            "Include list contents, so that the contents can be compared as well.",
            de: "Auch den Inhalt der Listen ausgeben, damit er sich vergleichen lässt."))
    var withContent = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let diagnostics = try await device.diagnostics(withContent: withContent)
        Console(json: true).answer { diagnostics.writeMembers(to: &$0) }
    }
}
