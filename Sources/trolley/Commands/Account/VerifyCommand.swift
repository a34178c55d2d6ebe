import ArgumentParser
import TrolleyClient
import TrolleyWire

struct VerifyCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "verify",
            abstract: localized(
                "Verify an email address, or change the account's, with a code that is sent to the address.",
                de: """
                    Mit einem Code, der an die Adresse geht, eine E-Mail-Adresse bestätigen oder die des Kontos ändern.
                    """),
            discussion: discussion(
                """
                Without --code, a code is sent to the address. With it, the account gets the address. No other account can
                take a verified address. If you have no account yet, give the code to 'trolley sign-up'.
                """,
                de: """
                    Ohne --code geht ein Code an die Adresse. Mit ihm bekommt das Konto die Adresse. Eine bestätigte Adresse \
                    kann kein anderes Konto nehmen. Hast du noch kein Konto, gib den Code bei „trolley sign-up“ an.
                    """,
                examples: """
                    trolley verify
                    trolley verify --code 7H2K-9MXP-4T0Z-Q8WN
                    trolley verify --server http://localhost:8080 --email bob@example.com
                    """))
    }

    @Option(help: .localized("The address. (default: the account's)", de: "Die Adresse. (Vorgabe: die des Kontos)"))
    var email: String?

    @Option(help: .localized("The code that was sent there.", de: "Der Code, der dorthin ging."))
    var code: String?

    @Option(
        help: .localized(
            "The service's address, if you have no account yet. (default: where this device is signed in)",
            de: """
                Die Adresse des Dienstes, wenn du noch kein Konto hast. (Vorgabe: wo dieses Gerät angemeldet ist)
                """))
    var server: String?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if server != nil, email == nil {
            throw ValidationError(localized("--server goes with --email.", de: "--server gehört zu --email."))
        }
        if server != nil, code != nil {
            throw ValidationError(
                localized(
                    "Without an account, the code goes to 'trolley sign-up'.",
                    de: "Ohne Konto gehört der Code zu „trolley sign-up“."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let session = try await device.session()
        guard let email = email ?? session?.email, session != nil || server != nil else {
            throw DeviceError.notSignedIn
        }
        if let code {
            let isOther = email.lowercased() != session?.email.lowercased()
            let password = try isOther ? Password.read(console, confirming: false) : nil
            let account = try await device.account.verifyEmail(email, code: code, password: password)
            console.say(
                localized(
                    "\(account.email) is verified: it is yours.",
                    de: "\(account.email) ist bestätigt: Die Adresse gehört dir."))
        } else {
            try await device.account.sendEmailCode(to: email, server: server)
            console.say(
                localized(
                    "A code was sent to \(email). It works for an hour.",
                    de: "Ein Code ist unterwegs an \(email). Er gilt eine Stunde."))
            if let server {
                console.say(
                    localized(
                        "Next: trolley sign-up \(AccountSession.argument(server)) --email \(email) --name NAME --code CODE",
                        de: """
                            Als Nächstes: trolley sign-up \(AccountSession.argument(server)) --email \(email) --name NAME --code CODE
                            """))
            } else {
                console.say(
                    localized(
                        "Next: trolley verify --email \(email) --code CODE",
                        de: "Als Nächstes: trolley verify --email \(email) --code CODE"))
            }
        }
        console.answer { writer in
            writer.member("email", email)
            writer.key("verified")
            writer.bool(code != nil)
        }
    }
}
