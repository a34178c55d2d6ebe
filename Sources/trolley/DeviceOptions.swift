public import ArgumentParser
public import Logging
import TrolleyClient

struct DeviceOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false

    @Option(
        help: ArgumentHelp("The directory of the device's files. [environment: TROLLEY_HOME]", valueName: "directory"),
        completion: .directory)
    var home: String?

    @Option(
        help: ArgumentHelp(
            """
            Certificates in PEM to trust in addition to the system's. Kept by sign-up and sign-in. \
            [environment: TROLLEY_CA_FILE]
            """,
            valueName: "file"))
    var caFile: String?

    @Flag(
        help: ArgumentHelp(
            """
            Let sign-up, sign-in and the like use http to another machine. Others in the network can then read the \
            password and the lists. [environment: TROLLEY_INSECURE]
            """))
    var insecure = false

    @Option(
        help: ArgumentHelp(
            """
            The language in which items are written: de, en, es, fr, it or nl. New items get their aisle from a catalogue in \
            it; with none they don't. The default is the system's language, otherwise en. [environment: TROLLEY_LANGUAGE]
            """, valueName: "code"),
        completion: .list(Device.catalogueLanguages + ["none"]), transform: Language.init(argument:))
    var language: Language?

    @Option(
        help: ArgumentHelp(
            """
            Write what the device does to standard error: trace, debug, info, notice, warning, error or critical. Never \
            what people wrote. [environment: TROLLEY_LOG]
            """,
            valueName: "level"))
    var log: Logger.Level?
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
