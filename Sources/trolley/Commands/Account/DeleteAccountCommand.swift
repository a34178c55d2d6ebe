import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct DeleteAccountCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete-account",
            abstract: localized(
                "Delete the signed-in account permanently.", de: "Das angemeldete Konto endgültig löschen."),
            discussion: discussion(
                """
                Each of its lists goes to the participant with write permission who joined first; a list without one ends.
                It leaves others' lists; its changes there stay, without a name. Lists that exist only on this device stay
                here. The password comes from TROLLEY_PASSWORD or a prompt.
                """,
                de: """
                    Jede seiner Listen geht an die Person, die sie ändern darf und zuerst dabei war; eine Liste ohne eine \
                    solche endet. Das Konto verlässt die Listen von anderen; seine Änderungen dort bleiben, ohne Namen. \
                    Listen, die nur auf diesem Gerät sind, bleiben hier. Das Passwort kommt aus TROLLEY_PASSWORD oder einer \
                    Frage.
                    """,
                examples: """
                    trolley delete-account
                    """))
    }

    @Flag(help: .localized("Don't ask for confirmation. For scripts.", de: "Nicht nachfragen. Für Skripte."))
    var yes = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        guard let session = try await device.session() else { throw DeviceError.notSignedIn }
        if !yes {
            let answer = Terminal.ask(
                localized(
                    "Delete the account of \(session.email) for good? Type its email: ",
                    de: "Das Konto von \(session.email) endgültig löschen? Tippe seine E-Mail-Adresse: "))
            guard answer?.lowercased() == session.email.lowercased() else { throw CommandError.notConfirmed }
        }
        let password = try Password.read(console, confirming: false)
        try await device.account.delete(password: password)
        console.say(
            localized("The account of \(session.email) is deleted.", de: "Das Konto von \(session.email) ist gelöscht.")
        )
        console.answer { writer in
            writer.key("deleted")
            writer.bool(true)
            writer.member("account", session.account)
        }
    }
}
