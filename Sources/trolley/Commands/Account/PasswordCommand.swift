import ArgumentParser
import TrolleyClient
import TrolleyWire

struct PasswordCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Set a new password. The account's other devices are signed out.",
        discussion: """
            The present password comes from TROLLEY_PASSWORD or a prompt, the new one from TROLLEY_NEW_PASSWORD or a
            prompt. If you have forgotten yours, ask the operator for a code ('trolleyd reset-password').

            Example:
              trolley password
              trolley password --code 7H2K-9MXP-4T0Z-Q8WN --server http://localhost:8080 --email alice@example.com
            """)

    @Option(help: "A one-time code, instead of the present password.")
    var code: String?

    @Option(help: "With --code: the service's address. (default: where this device is signed in)")
    var server: String?

    @Option(help: "With --code: the account's email. (default: the account that is signed in here)")
    var email: String?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if code == nil, server != nil || email != nil { throw ValidationError("--server and --email need --code.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        guard let code else {
            guard try await device.session() != nil else { throw DeviceError.notSignedIn }
            let password = try Password.read(console, confirming: false)
            let ended = try await device.account.changePassword(from: password, to: Password.readNew(console))
            console.say("The password was changed. \(console.count(ended, "other device")) signed out.")
            answer(console, ended)
            return
        }
        let session = try await device.session()
        guard let server = server ?? session?.server, let email = email ?? session?.email else {
            throw ValidationError("--code needs --server and --email: nobody is signed in on this device.")
        }
        let password = try Password.readNew(console)
        let ended = try await device.account.resetPassword(
            server: server, email: email, code: code, newPassword: password)
        console.say("The password was changed. \(console.count(ended, "device")) signed out.")
        if let session, server == session.server, email.lowercased() == session.email.lowercased() {
            _ = try await device.signIn(
                server: session.server, email: session.email, password: password, deviceName: Password.deviceName)
            console.say("This device is signed in again.")
        } else {
            console.say("To sign in: trolley sign-in \(AccountSession.argument(server)) --email \(email)")
        }
        answer(console, ended)
    }

    private func answer(_ console: Console, _ ended: Int) {
        console.answer { $0.member("sessionsEnded", ended) }
    }
}
