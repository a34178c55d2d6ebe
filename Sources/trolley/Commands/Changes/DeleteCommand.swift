import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct DeleteCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete items from a list.",
        discussion: """
            Example:
              trolley delete 'brown bread'
            """)

    @Argument(help: "The items, each by text, position or id.", completion: .items)
    var items: [String]

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        try await ItemChange(list: list, verb: "Deleted").run(items, on: device, console) { .delete($0.id) }
    }
}
