import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct UnsayCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "unsay",
            abstract: localized(
                "Delete a message for everybody. Only its author and the list's owner may.",
                de: """
                    Eine Nachricht für alle löschen. Das dürfen nur die Person, die sie geschrieben hat, und die, der die Liste \
                    gehört.
                    """),
            discussion: discussion(
                examples: """
                    trolley unsay 1
                    """))
    }

    @Argument(
        help: .localized(
            "The message, by its number in 'trolley messages', its id or a part of its text.",
            de: """
                Die Nachricht, mit ihrer Nummer bei „trolley messages“, ihrer Kennung oder einem Teil ihres Textes.
                """))
    var message: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let change = MessageChange(list: try await device.list(list))
        let found = try await change.find(message, on: device)
        let own = try await device.session()?.account
        if change.list.owner != nil, let author = found.author, author != own {
            throw CommandError.othersMessage(found.text)
        }
        try await change.run([.deleteMessage(found.id)], on: device, console) {
            localized("Deleted '\(found.text)'.", de: "„\(found.text)“ gelöscht.")
        }
    }
}
