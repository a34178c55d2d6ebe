import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct ReactCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "react",
        abstract: "React to a message.",
        discussion: """
            Example:
              trolley react 1 👍
              trolley react 1 👍 --remove
            """)

    @Argument(help: "The message, by its number in 'trolley messages', its id or a part of its text.")
    var message: String

    @Argument(help: "The reaction, such as 👍.")
    var reaction: String

    @Flag(help: "Take the reaction back.")
    var remove = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = MessageChange(list: try await device.list(list))
        let found = try await change.find(message, on: device)
        let edit: ListEdit = remove ? .unreact(found.id, reaction) : .react(found.id, reaction)
        try await change.run([edit], on: device, console) {
            remove ? "Took \(reaction) back from '\(found.text)'." : "Reacted to '\(found.text)' with \(reaction)."
        }
    }
}
