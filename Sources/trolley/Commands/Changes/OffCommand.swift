import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct OffCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Mark items off: they are in the trolley.",
        discussion: """
            Example:
              trolley off milk eggs
            """)

    @Argument(help: "The items, each by text, position or id.", completion: .items)
    var items: [String]

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        try await ItemChange(
            list: list, verb: "Marked off", operation: .markOff,
            already: .init(applies: { $0.markedOff }, sentence: "is marked off already")
        ).run(items, on: device, console) { .markOff($0.id) }
    }
}
