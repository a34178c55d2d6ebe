import ArgumentParser
import TrolleyClient
import TrolleySync
import TrolleyWire

struct SignInCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sign-in",
            abstract: localized(
                "Sign in to an account, and fetch its lists.", de: "Bei einem Konto anmelden und seine Listen holen."),
            discussion: discussion(
                """
                The password comes from TROLLEY_PASSWORD or a prompt. An address without a scheme means https, except for this
                machine. A service without TLS on another machine needs --insecure.
                """,
                de: """
                    Das Passwort kommt aus TROLLEY_PASSWORD oder einer Frage. Eine Adresse ohne Schema bedeutet https, außer \
                    für diesen Rechner. Ein Dienst ohne TLS auf einem anderen Rechner braucht --insecure.
                    """,
                examples: """
                    trolley sign-in http://localhost:8080 --email alice@example.com
                    """))
    }

    @Argument(help: .localized("The service's address.", de: "Die Adresse des Dienstes."))
    var url: String

    @Option(help: .localized("The account's email.", de: "Die E-Mail-Adresse des Kontos."))
    var email: String

    @Option(
        help: .localized(
            "What 'devices' calls this device. (default: trolley on this machine's name)",
            de: "So nennt „trolley devices“ dieses Gerät. (Vorgabe: trolley auf dem Namen dieses Rechners)"))
    var deviceName: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let password = try Password.read(console, confirming: false)
        let session = try await signIn(on: device, password)
        let report = try await device.sync(.manual)
        let lists = try await device.lists().count
        let here = console.count(lists, .list)
        console.say(
            localized(
                "Signed in as \(session.name) <\(session.email)>. \(here) here.",
                de: "Angemeldet als \(session.name) <\(session.email)>. Hier: \(here)."))
        if let warning = session.warning { console.say(warning) }
        console.say(report)
        console.answer { session.write(to: &$0, report) }
    }
}

extension SignInCommand {
    private func signIn(on device: Device, _ password: String) async throws -> AccountSession {
        do {
            return try await device.signIn(
                server: url, email: email, password: password, deviceName: deviceName ?? Password.deviceName)
        } catch {
            guard error.problem?.code == .notAuthenticated else { throw CommandError.explaining(error, for: url) }
            let (lists, hidden) = (try await device.lists(), try await device.hiddenLists())
            throw CommandError.noAccount(
                server: url, email: email, hasLists: !lists.isEmpty || hidden.contains { $0.email == email })
        }
    }
}

extension CommandError {
    /// The error of a call to an address as it was typed. A service without TLS doesn't answer at the `https` address that
    /// a text without a scheme means.
    static func explaining(_ error: DeviceError, for address: String) -> any Error {
        guard case .transport(.unreachable(let reason)) = error, !address.contains("://") else { return error }
        return CommandError.noAnswer(address: address, reason: reason)
    }
}

extension AccountSession {
    /// That the session is without TLS; nil when it isn't, or the service is on this machine.
    var warning: String? {
        isReadable
            ? localized(
                "The service is without TLS: others in the network can read the password and the lists.",
                de: "Der Dienst ist ohne TLS: Andere im Netz können das Passwort und die Listen lesen.") : nil
    }

    func write(to writer: inout JSONWriter, _ report: SyncReport) {
        writer.member("server", server)
        writer.member("account", account)
        writer.member("email", email)
        writer.member("name", name)
        writer.member("device", device)
        writer.waiting(report)
    }
}
