import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct OffCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "off",
            abstract: localized(
                "Mark items off: they are in the trolley.", de: "Einträge abhaken: Sie liegen im Wagen."),
            discussion: discussion(
                examples: """
                    trolley off milk eggs
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
        try await ItemChange(
            list: list, done: { localized("Marked off \($0).", de: "\($0) abgehakt.") }, operation: .markOff,
            already: .init(
                applies: { $0.markedOff },
                sentence: { localized("\($0) is marked off already.", de: "\($0) ist schon abgehakt.") })
        ).run(items, on: device, console) { .markOff($0.id) }
    }
}
