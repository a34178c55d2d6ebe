import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RedoCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Redo the last undone change.",
        discussion: """
            Example:
              trolley redo
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await console.revert(.redo, "redo", "Done again", on: list, device)
    }
}
