import ArgumentParser
import TrolleyClient
import TrolleySync

struct SignUpCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-up",
        abstract: "Make an account on a service, and sign in to it on this device.",
        discussion: """
            The password comes from TROLLEY_PASSWORD, or is asked for. Lists on this device go along: those that were made
            before, and those of an account of the same email that the service has lost.

            Example:
              trolley sign-up http://localhost:8080 --email alice@example.com --name Alice
            """)

    @Argument(help: "The service's address.")
    var url: String

    @Option(help: "Names the account.")
    var email: String

    @Option(help: "What others see.")
    var name: String

    // One code in 64 begins with a hyphen, and is no option.
    @Option(
        parsing: .unconditional,
        help: "Where signing up needs one: an invitation's link, or a code from the operator.")
    var invitation: String?

    @Option(
        help:
            "A code that was sent to the email ('trolley verify --server URL --email EMAIL'): it shows that it is yours."
    )
    var code: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let password = try Password.read(console, confirming: true)
        let session = try await device.signUp(
            server: url, email: email, name: name, password: password, deviceName: Password.deviceName,
            invitation: invitation, emailCode: code)
        let report = try await device.sync(.launch, within: .seconds(20))
        console.say("Signed in as \(session.name) <\(session.email)>.")
        console.say(report)
        let lists = try await device.lists().count
        console.say(
            lists == 0
                ? "Next: trolley new 'Weekly shop'"
                : "\(console.count(lists, "list")) here. Invite those again who were on them: trolley invite EMAIL")
        console.answer { session.write(to: &$0, report) }
    }
}
