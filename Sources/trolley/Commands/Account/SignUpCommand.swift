import ArgumentParser
import TrolleyClient
import TrolleySync

struct SignUpCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-up",
        abstract: "Create an account on a service, and sign in to it on this device.",
        discussion: """
            The password comes from TROLLEY_PASSWORD or a prompt. An address without a scheme means https, except for this
            machine. A service without TLS on another machine needs --insecure. Lists on this device move to the account: lists that
            were made before, and lists of an account with the same email that the service has lost.

            Example:
              trolley sign-up http://localhost:8080 --email alice@example.com --name Alice
            """)

    @Argument(help: "The service's address.")
    var url: String

    @Option(help: "The account's email.")
    var email: String

    @Option(help: "The name that others see.")
    var name: String

    // One code in 64 begins with a hyphen, and must not be parsed as an option.
    @Option(
        parsing: .unconditional,
        help: "If the service requires one: an invitation's link, or a code from the operator.")
    var invitation: String?

    @Option(
        help:
            "A code that was sent to the email ('trolley verify --server URL --email EMAIL'), to prove that it is yours."
    )
    var code: String?

    @Option(help: "What 'devices' calls this device. (default: trolley on this machine's name)")
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
        console.say("Signed in as \(session.name) <\(session.email)>.")
        if let warning = session.warning { console.say(warning) }
        console.say(report)
        let lists = try await device.lists().count
        console.say(
            lists == 0
                ? "Next: trolley new 'Weekly shop'"
                : "\(console.count(lists, "list")) here. To share one: trolley invite EMAIL. People who were on it before need a "
                    + "new invitation.")
        console.answer { session.write(to: &$0, report) }
    }
}
