import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct ReactCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "react",
            abstract: localized("React to a message.", de: "Auf eine Nachricht reagieren."),
            discussion: discussion(
                examples: """
                    trolley react 1 👍
                    trolley react 1 👍 --remove
                    """))
    }

    @Argument(
        help: .localized(
            "The message, by its number in 'trolley messages', its id or a part of its text.",
            de: """
                Die Nachricht, mit ihrer Nummer bei „trolley messages“, ihrer Kennung oder einem Teil ihres Textes.
                """))
    var message: String

    @Argument(help: .localized("The reaction, such as 👍.", de: "Die Reaktion, wie 👍."))
    var reaction: String

    @Flag(help: .localized("Take the reaction back.", de: "Die Reaktion zurücknehmen."))
    var remove = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = MessageChange(list: try await device.list(list))
        let found = try await change.find(message, on: device)
        let edit: ListEdit = remove ? .unreact(found.id, reaction) : .react(found.id, reaction)
        try await change.run([edit], on: device, console) {
            remove
                ? localized(
                    "Took \(reaction) back from '\(found.text)'.", de: "\(reaction) von „\(found.text)“ zurückgenommen."
                )
                : localized(
                    "Reacted to '\(found.text)' with \(reaction).", de: "Auf „\(found.text)“ mit \(reaction) reagiert.")
        }
    }
}
