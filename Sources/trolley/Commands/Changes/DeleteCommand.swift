import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct DeleteCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete",
            abstract: localized("Delete items from a list.", de: "Einträge von einer Liste löschen."),
            discussion: discussion(
                examples: """
                    trolley delete 'brown bread'
                    """))
    }

    @Argument(
        help: .localized(
            "The items, each by text, position or id.", de: "Die Einträge, jeder mit Text, Nummer oder Kennung."),
        completion: .items)
    var items: [String]

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        try await ItemChange(list: list, done: { localized("Deleted \($0).", de: "\($0) gelöscht.") }).run(
            items, on: device, console
        ) { .delete($0.id) }
    }
}
