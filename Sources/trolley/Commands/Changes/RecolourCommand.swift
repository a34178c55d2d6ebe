import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct RecolourCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "recolour",
            abstract: localized("Give a list another colour.", de: "Einer Liste eine andere Farbe geben."),
            discussion: discussion(
                examples: """
                    trolley recolour yellow
                    """))
    }

    @Argument(
        help: .localized(
            "The list's new colour, such as 'yellow' or '#ffcc00'.",
            de: "Die neue Farbe der Liste, wie „yellow“ oder „#ffcc00“."))
    var colour: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws { _ = try ListColour.parsed(colour) }

    func run(on device: Device, _ console: Console) async throws {
        try await ListChange(list: list).run(.recolour(ListColour.parsed(colour)), on: device, console)
    }
}
