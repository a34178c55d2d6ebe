import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct SayCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "say",
            abstract: localized(
                "Write a message on a list, or on one of its items.",
                de: "Eine Nachricht auf eine Liste schreiben, oder zu einem Eintrag."),
            discussion: discussion(
                examples: """
                    trolley say 'I am at the shop, anything else?'
                    trolley say --item milk 'The one with the blue lid'
                    """),
            aliases: ["message"])
    }

    @Argument(help: .localized("The message.", de: "Die Nachricht."))
    var text: String

    @Option(
        help: .localized(
            "The item that the message is about; by text, position or id.",
            de: "Der Eintrag, um den es geht; mit Text, Nummer oder Kennung."), completion: .items)
    var item: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text.trimmed.isEmpty {
            throw ValidationError(localized("Give the message a text.", de: "Gib der Nachricht einen Text."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        var about: ItemID?
        if let item { about = try await console.find(item, among: device.list(list.id).shownRows()).id }
        try await MessageChange(list: list).run([.message(text, about: about)], on: device, console) {
            localized("Said.", de: "Gesagt.")
        }
    }
}
