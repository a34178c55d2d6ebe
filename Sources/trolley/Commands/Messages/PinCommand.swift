import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct PinCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "pin",
            abstract: localized("Pin a message of a list.", de: "Eine Nachricht einer Liste anheften."),
            discussion: discussion(
                examples: """
                    trolley pin 1
                    trolley pin 1 --remove
                    """))
    }

    @Argument(
        help: .localized(
            "The message, by its number in 'trolley messages', its id or a part of its text.",
            de: """
                Die Nachricht, mit ihrer Nummer bei „trolley messages“, ihrer Kennung oder einem Teil ihres Textes.
                """))
    var message: String

    @Flag(help: .localized("Unpin the message.", de: "Die Nachricht nicht mehr anheften."))
    var remove = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = MessageChange(list: try await device.list(list))
        let found = try await change.find(message, on: device)
        try await change.run([remove ? .unpin(found.id) : .pin(found.id)], on: device, console) {
            remove
                ? localized("Unpinned '\(found.text)'.", de: "„\(found.text)“ gelöst.")
                : localized("Pinned '\(found.text)'.", de: "„\(found.text)“ angeheftet.")
        }
    }
}
