import ArgumentParser
import TrolleyClient

struct ProfileCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "profile",
            abstract: localized(
                "Change your name as others see it, or the colour of your picture.",
                de: "Deinen Namen, wie andere ihn sehen, oder die Farbe deines Bildes ändern."),
            discussion: discussion(
                """
                What you did before appears under the new name, too. Without options, it shows both.
                """,
                de: """
                    Auch was du früher getan hast, steht dann unter dem neuen Namen. Ohne Optionen zeigt der Befehl beides.
                    """,
                examples: """
                    trolley profile --name 'Ann Smith'
                    trolley profile --colour teal
                    """))
    }

    @Option(help: .localized("Your name, as others see it.", de: "Dein Name, wie andere ihn sehen."))
    var name: String?

    @Option(
        help: .localized(
            """
            The colour of your picture: green, teal, blue, indigo, purple, pink, red, orange, yellow, brown or grey. Empty: \
            the apps choose one.
            """,
            de: """
                Die Farbe deines Bildes: green, teal, blue, indigo, purple, pink, red, orange, yellow, brown oder grey. \
                Leer: Die Apps wählen eine.
                """))
    var colour: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        guard try await device.session() != nil else { throw DeviceError.notSignedIn }
        let account =
            if name == nil, colour == nil {
                try await device.account.profile()
            } else {
                try await device.account.change(name: name, colour: colour)
            }
        let picture =
            account.colour.map { localized("your picture is \($0)", de: "die Farbe deines Bildes ist \($0)") }
            ?? localized("the apps choose your picture's colour", de: "die Farbe deines Bildes wählen die Apps")
        console.say(
            localized(
                "Others see you as \(account.name); \(picture).",
                de: "Andere sehen dich als \(account.name); \(picture)."))
        console.answer { writer in
            writer.member("account", account.id)
            writer.member("name", account.name)
            writer.member("colour", account.colour)
        }
    }
}
