import ArgumentParser
import TrolleyClient
import TrolleyWire

struct PasswordCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "password",
            abstract: localized(
                "Set a new password. The account's other devices are signed out.",
                de: "Ein neues Passwort setzen. Die anderen Geräte des Kontos werden abgemeldet."),
            discussion: discussion(
                """
                The present password comes from TROLLEY_PASSWORD or a prompt, the new one from TROLLEY_NEW_PASSWORD or a
                prompt. If you have forgotten yours, ask the operator for a code ('trolleyd reset-password').
                """,
                de: """
                    Das jetzige Passwort kommt aus TROLLEY_PASSWORD oder einer Frage, das neue aus TROLLEY_NEW_PASSWORD oder \
                    einer Frage. Hast du deines vergessen, bitte die Person, die den Dienst betreibt, um einen Code („trolleyd \
                    reset-password“).
                    """,
                examples: """
                    trolley password
                    trolley password --code 7H2K-9MXP-4T0Z-Q8WN --server http://localhost:8080 --email alice@example.com
                    """))
    }

    @Option(
        help: .localized(
            "A one-time code, instead of the present password.",
            de: "Ein Code, der einmal gilt, statt des jetzigen Passworts."))
    var code: String?

    @Option(
        help: .localized(
            "With --code: the service's address. (default: where this device is signed in)",
            de: "Mit --code: die Adresse des Dienstes. (Vorgabe: wo dieses Gerät angemeldet ist)"))
    var server: String?

    @Option(
        help: .localized(
            "With --code: the account's email. (default: the account that is signed in here)",
            de: "Mit --code: die E-Mail-Adresse des Kontos. (Vorgabe: das Konto, das hier angemeldet ist)"))
    var email: String?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if code == nil, server != nil || email != nil {
            throw ValidationError(
                localized("--server and --email need --code.", de: "--server und --email brauchen --code."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        guard let code else {
            guard try await device.session() != nil else { throw DeviceError.notSignedIn }
            let password = try Password.read(console, confirming: false)
            let ended = try await device.account.changePassword(from: password, to: Password.readNew(console))
            sayChanged(console.count(ended, .otherDevice), console)
            answer(console, ended)
            return
        }
        let session = try await device.session()
        guard let server = server ?? session?.server, let email = email ?? session?.email else {
            throw ValidationError(
                localized(
                    "--code needs --server and --email: nobody is signed in on this device.",
                    de: "--code braucht --server und --email: Auf diesem Gerät ist niemand angemeldet."))
        }
        let password = try Password.readNew(console)
        let ended = try await device.account.resetPassword(
            server: server, email: email, code: code, newPassword: password)
        sayChanged(console.count(ended, .device), console)
        if let session, server == session.server, email.lowercased() == session.email.lowercased() {
            _ = try await device.signIn(
                server: session.server, email: session.email, password: password, deviceName: Password.deviceName)
            console.say(localized("This device is signed in again.", de: "Dieses Gerät ist wieder angemeldet."))
        } else {
            console.say(
                localized(
                    "To sign in: trolley sign-in \(AccountSession.argument(server)) --email \(email)",
                    de: "Um dich anzumelden: trolley sign-in \(AccountSession.argument(server)) --email \(email)"))
        }
        answer(console, ended)
    }

    private func sayChanged(_ devices: String, _ console: Console) {
        console.say(
            localized(
                "The password was changed. \(devices) signed out.",
                de: "Das Passwort ist geändert. Abgemeldet: \(devices)."))
    }

    private func answer(_ console: Console, _ ended: Int) {
        console.answer { $0.member("sessionsEnded", ended) }
    }
}
