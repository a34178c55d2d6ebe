import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct UnmarkCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmark",
        abstract: "Unmark items: they are wanted after all.",
        discussion: """
            Example:
              trolley unmark milk
            """)

    @Argument(help: "The items, each by text, position or id.", completion: .items)
    var items: [String]

    @OptionGroup var list: ListOptions
    @OptionGroup var combined: CombinedOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        if !combined.with.isEmpty {
            return try await CombinedLists(list, combined, on: device).change(
                items, off: false, verb: "Unmarked", already: "isn't marked off", console)
        }
        try await ItemChange(
            list: list, verb: "Unmarked", operation: .unmark,
            already: .init(applies: { !$0.markedOff }, sentence: "isn't marked off")
        ).run(items, on: device, console) { .unmark($0.id) }
    }
}
