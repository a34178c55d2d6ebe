import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct PinCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Pin a message of a list.",
        discussion: """
            Example:
              trolley pin 1
              trolley pin 1 --remove
            """)

    @Argument(help: "The message, by its number in 'trolley messages', its id or a part of its text.")
    var message: String

    @Flag(help: "Unpin the message.")
    var remove = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = MessageChange(list: try await device.list(list))
        let found = try await change.find(message, on: device)
        try await change.run([remove ? .unpin(found.id) : .pin(found.id)], on: device, console) {
            "\(remove ? "Unpinned" : "Pinned") '\(found.text)'."
        }
    }
}
