import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct DeleteAccountCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-account",
        abstract: "Delete the signed-in account permanently.",
        discussion: """
            Each of its lists goes to the participant with write permission who joined first; a list without one ends.
            It leaves others' lists; its changes there stay, without a name. Lists that exist only on this device stay
            here. The password comes from TROLLEY_PASSWORD or a prompt.

            Example:
              trolley delete-account
            """)

    @Flag(help: "Don't ask for confirmation. For scripts.")
    var yes = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        guard let session = try await device.session() else { throw DeviceError.notSignedIn }
        if !yes {
            let answer = Terminal.ask("Delete the account of \(session.email) for good? Type its email: ")
            guard answer?.lowercased() == session.email.lowercased() else { throw CommandError.notConfirmed }
        }
        let password = try Password.read(console, confirming: false)
        try await device.account.delete(password: password)
        console.say("The account of \(session.email) is deleted.")
        console.answer { writer in
            writer.key("deleted")
            writer.bool(true)
            writer.member("account", session.account)
        }
    }
}
