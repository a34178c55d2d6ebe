import ArgumentParser
import TrolleyClient

struct RecolourCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "recolour",
        abstract: "Give a list another colour.",
        discussion: """
            Example:
              trolley recolour yellow
            """)

    @Argument(help: "The list's new colour, such as 'yellow' or '#ffcc00'.")
    var colour: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if colour.trimmed.isEmpty { throw ValidationError("Give the list a colour.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        try await ListChange(list: list).run(.recolour(colour.trimmed), on: device, console)
    }
}
