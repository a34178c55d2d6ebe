import ArgumentParser
import TrolleyClient
import TrolleySync

struct SignUpCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sign-up",
            abstract: localized(
                "Create an account on a service, and sign in to it on this device.",
                de: "Ein Konto bei einem Dienst anlegen und dieses Gerät bei ihm anmelden."),
            discussion: discussion(
                """
                The password comes from TROLLEY_PASSWORD or a prompt. An address without a scheme means https, except for this
                machine. A service without TLS on another machine needs --insecure. Lists on this device move to the account: lists that
                were made before, and lists of an account with the same email that the service has lost.
                """,
                de: """
                    Das Passwort kommt aus TROLLEY_PASSWORD oder einer Frage. Eine Adresse ohne Schema bedeutet https, außer \
                    für diesen Rechner. Ein Dienst ohne TLS auf einem anderen Rechner braucht --insecure. Listen auf diesem \
                    Gerät kommen mit zum Konto: Listen von davor, und die eines Kontos mit derselben E-Mail-Adresse, das der \
                    Dienst verloren hat.
                    """,
                examples: """
                    trolley sign-up http://localhost:8080 --email alice@example.com --name Alice
                    """))
    }

    @Argument(help: .localized("The service's address.", de: "Die Adresse des Dienstes."))
    var url: String

    @Option(help: .localized("The account's email.", de: "Die E-Mail-Adresse des Kontos."))
    var email: String

    @Option(help: .localized("The name that others see.", de: "Der Name, den andere sehen."))
    var name: String

    // One code in 64 begins with a hyphen, and must not be parsed as an option.
    @Option(
        parsing: .unconditional,
        help: .localized(
            "If the service requires one: an invitation's link, or a code from the operator.",
            de: """
                Wenn der Dienst das verlangt: der Link einer Einladung, oder ein Code von der Person, die ihn betreibt.
                """))
    var invitation: String?

    @Option(
        help:
            .localized(
                "A code that was sent to the email ('trolley verify --server URL --email EMAIL'), to prove that it is yours.",
                de: """
                    Ein Code, der an die E-Mail-Adresse ging („trolley verify --server URL --email E-MAIL“), als Beweis, dass \
                    sie dir gehört.
                    """)
    )
    var code: String?

    @Option(
        help: .localized(
            "What 'devices' calls this device. (default: trolley on this machine's name)",
            de: "So nennt „trolley devices“ dieses Gerät. (Vorgabe: trolley auf dem Namen dieses Rechners)"))
    var deviceName: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let password = try Password.read(console, confirming: true)
        let session: AccountSession
        do {
            session = try await device.signUp(
                server: url, email: email, name: name, password: password,
                deviceName: deviceName ?? Password.deviceName,
                invitation: invitation, emailCode: code)
        } catch {
            throw CommandError.explaining(error, for: url)
        }
        let report = try await device.sync(.launch, within: .seconds(20))
        console.say(
            localized(
                "Signed in as \(session.name) <\(session.email)>.",
                de: "Angemeldet als \(session.name) <\(session.email)>."))
        if let warning = session.warning { console.say(warning) }
        console.say(report)
        let lists = try await device.lists().count
        let here = console.count(lists, .list)
        console.say(
            lists == 0
                ? localized("Next: trolley new 'Weekly shop'", de: "Als Nächstes: trolley new Wocheneinkauf")
                : localized(
                    "\(here) here. To share one: trolley invite EMAIL. People who were on it before need a new invitation.",
                    de:
                        "Hier: \(here). Um eine zu teilen: trolley invite E-MAIL. Wer vorher darauf war, braucht eine neue Einladung."
                ))
        console.answer { session.write(to: &$0, report) }
    }
}
