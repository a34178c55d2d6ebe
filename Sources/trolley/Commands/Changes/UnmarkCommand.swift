import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct UnmarkCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "unmark",
            abstract: localized(
                "Unmark items: they are wanted after all.", de: "Haken wegnehmen: Die Einträge werden doch gebraucht."),
            discussion: discussion(
                examples: """
                    trolley unmark milk
                    """))
    }

    @Argument(
        help: .localized(
            "The items, each by text, position or id.", de: "Die Einträge, jeder mit Text, Nummer oder Kennung."),
        completion: .items)
    var items: [String]

    @OptionGroup var list: ListOptions
    @OptionGroup var combined: CombinedOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = ItemChange(
            list: list, done: { localized("Unmarked \($0).", de: "\($0) wird wieder gebraucht.") }, operation: .unmark,
            already: .init(
                applies: { !$0.markedOff },
                sentence: { localized("\($0) isn't marked off.", de: "\($0) ist nicht abgehakt.") }))
        if combined.with.isEmpty {
            try await change.run(items, on: device, console) { .unmark($0.id) }
        } else {
            try await CombinedLists(list, combined, on: device).run(change, on: items, console) {
                try await device.unmark($0)
            }
        }
    }
}
