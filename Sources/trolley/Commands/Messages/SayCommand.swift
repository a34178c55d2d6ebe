import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct SayCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "say",
        abstract: "Write a message on a list, or on one of its items.",
        discussion: """
            Example:
              trolley say 'I am at the shop, anything else?'
              trolley say --item milk 'The one with the blue lid'
            """,
        aliases: ["message"])

    @Argument(help: "The message.")
    var text: String

    @Option(help: "The item that the message is about; by text, position or id.", completion: .items)
    var item: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text.trimmed.isEmpty { throw ValidationError("Give the message a text.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        var about: ItemID?
        if let item { about = try await console.find(item, among: device.list(list.id).shownRows()).id }
        try await MessageChange(list: list).run([.message(text, about: about)], on: device, console) { "Said." }
    }
}
