import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct UnsayCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsay",
        abstract: "Delete a message for everybody. Only its author and the list's owner may.",
        discussion: """
            Example:
              trolley unsay 1
            """)

    @Argument(help: "The message, by its number in 'trolley messages', its id or a part of its text.")
    var message: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = MessageChange(list: try await device.list(list))
        let found = try await change.find(message, on: device)
        let own = try await device.session()?.account
        if change.list.owner != nil, let author = found.author, author != own {
            throw CommandError.othersMessage(found.text)
        }
        try await change.run([.deleteMessage(found.id)], on: device, console) { "Deleted '\(found.text)'." }
    }
}
