import ArgumentParser
import TrolleyClient
import TrolleyWire

struct VerifyCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify an email address, or change the account's, with a code that is sent to the address.",
        discussion: """
            Without --code, a code is sent to the address. With it, the account gets the address. No other account can
            take a verified address. If you have no account yet, give the code to 'trolley sign-up'.

            Example:
              trolley verify
              trolley verify --code 7H2K-9MXP-4T0Z-Q8WN
              trolley verify --server http://localhost:8080 --email bob@example.com
            """)

    @Option(help: "The address. (default: the account's)")
    var email: String?

    @Option(help: "The code that was sent there.")
    var code: String?

    @Option(
        help: "The service's address, if you have no account yet. (default: where this device is signed in)")
    var server: String?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if server != nil, email == nil { throw ValidationError("--server goes with --email.") }
        if server != nil, code != nil {
            throw ValidationError("Without an account, the code goes to 'trolley sign-up'.")
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
            console.say("\(account.email) is verified: it is yours.")
        } else {
            try await device.account.sendEmailCode(to: email, server: server)
            console.say("A code was sent to \(email). It works for an hour.")
            if let server {
                console.say(
                    "Next: trolley sign-up \(AccountSession.argument(server)) --email \(email) --name NAME --code CODE")
            } else {
                console.say("Next: trolley verify --email \(email) --code CODE")
            }
        }
        console.answer { writer in
            writer.member("email", email)
            writer.key("verified")
            writer.bool(code != nil)
        }
    }
}
