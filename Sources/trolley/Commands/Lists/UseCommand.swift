import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct UseCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Make a list the current one.",
        discussion: """
            Example:
              trolley use 'Weekly shop'
            """)

    @Argument(help: "The list, by name or id.", completion: .lists)
    var list: String

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.lists().named(list)
        try await device.setCurrentList(list.id)
        console.say("'\(list.name ?? list.id.description)' is the current list.")
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
        }
    }
}
