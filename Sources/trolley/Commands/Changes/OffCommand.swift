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
              trolley off milk --with Party    # on each of the two lists that wants it
            """)

    @Argument(help: "The items, each by text, position or id.", completion: .items)
    var items: [String]

    @OptionGroup var list: ListOptions
    @OptionGroup var combined: CombinedOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        if !combined.with.isEmpty {
            return try await CombinedLists(list, combined, on: device).change(
                items, off: true, verb: "Marked off", already: "is marked off already", console)
        }
        try await ItemChange(
            list: list, verb: "Marked off", operation: .markOff,
            already: .init(applies: { $0.markedOff }, sentence: "is marked off already")
        ).run(items, on: device, console) { .markOff($0.id) }
    }
}
