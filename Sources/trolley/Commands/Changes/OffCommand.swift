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
                    trolley off milk --with Party    # \(localized("on each of the two lists that wants it", de: "auf jeder der beiden Listen, die sie braucht"))
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
            list: list, done: { localized("Marked off \($0).", de: "\($0) abgehakt.") }, operation: .markOff,
            already: .init(
                applies: { $0.markedOff },
                sentence: { localized("\($0) is marked off already.", de: "\($0) ist schon abgehakt.") }))
        if combined.with.isEmpty {
            try await change.run(items, on: device, console) { .markOff($0.id) }
        } else {
            try await CombinedLists(list, combined, on: device).run(change, on: items, console) {
                try await device.markOff($0)
            }
        }
    }
}
