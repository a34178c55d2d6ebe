public import ArgumentParser
public import Logging
import TrolleyClient

struct DeviceOptions: ParsableArguments {
    @Flag(help: .localized("Print one JSON document.", de: "Ein JSON-Dokument ausgeben."))
    var json = false

    @Option(
        help: ArgumentHelp(
            localized(
                "The directory of the device's files. [environment: TROLLEY_HOME]",
                de: "Das Verzeichnis mit den Dateien des Geräts. [Umgebung: TROLLEY_HOME]"), valueName: "directory"),
        completion: .directory)
    var home: String?

    @Option(
        help: ArgumentHelp(
            localized(
                """
                Certificates in PEM to trust in addition to the system's. Kept by sign-up and sign-in. \
                [environment: TROLLEY_CA_FILE]
                """,
                de: """
                    Zertifikate (PEM), denen zusätzlich zu denen des Systems vertraut wird. sign-up und sign-in merken sie sich. \
                    [Umgebung: TROLLEY_CA_FILE]
                    """),
            valueName: "file"))
    var caFile: String?

    @Flag(
        help: ArgumentHelp(
            localized(
                """
                Let sign-up, sign-in and the like use http to another machine. Others in the network can then read the \
                password and the lists. [environment: TROLLEY_INSECURE]
                """,
                de: """
                    sign-up, sign-in und dergleichen dürfen http zu einem anderen Rechner benutzen. Andere im Netz können dann \
                    das Passwort und die Listen lesen. [Umgebung: TROLLEY_INSECURE]
                    """)))
    var insecure = false

    @Option(
        help: ArgumentHelp(
            localized(
                """
                The language in which items are written: de, en, es, fr, it or nl. New items get their aisle from a catalogue in \
                it; with none they don't. The default is the system's language, otherwise en. [environment: TROLLEY_LANGUAGE]
                """,
                de: """
                    Die Sprache, in der Einträge geschrieben sind: de, en, es, fr, it oder nl. Neue Einträge bekommen ihr Regal \
                    aus dem Katalog dieser Sprache, mit none keines. Ohne Angabe ist es die Sprache des Systems, sonst en. \
                    [Umgebung: TROLLEY_LANGUAGE]
                    """), valueName: "code"),
        completion: .list(Device.catalogueLanguages + ["none"]), transform: Language.init(argument:))
    var language: Language?

    @Option(
        help: ArgumentHelp(
            localized(
                """
                Write what the device does to standard error: trace, debug, info, notice, warning, error or critical. Never \
                what people wrote. [environment: TROLLEY_LOG]
                """,
                de: """
                    Auf die Standardfehlerausgabe schreiben, was das Gerät tut: trace, debug, info, notice, warning, error oder \
                    critical. Nie, was Leute geschrieben haben. [Umgebung: TROLLEY_LOG]
                    """),
            valueName: "level"))
    var log: Logger.Level?
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
