import ArgumentParser
import TrolleyClient
import TrolleyWire

struct DeclineCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Decline an invitation. It becomes invalid, and the list's owner is told.",
        discussion: """
            Example:
              trolley decline 'http://localhost:8080/join#SECRET'
            """)

    @Argument(help: "The link of the invitation.")
    var link: String

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        try await device.decline(link)
        console.say("Declined.")
        console.answer { writer in
            writer.key("declined")
            writer.bool(true)
        }
    }
}
