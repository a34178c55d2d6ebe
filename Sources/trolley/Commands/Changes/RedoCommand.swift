import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RedoCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "redo",
            abstract: localized("Redo the last undone change.", de: "Die letzte zurückgenommene Änderung wiederholen."),
            discussion: discussion(
                examples: """
                    trolley redo
                    """))
    }

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await console.revert(.redo, on: list, device)
    }
}
