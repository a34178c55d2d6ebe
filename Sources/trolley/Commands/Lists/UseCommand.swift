import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct UseCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "use",
            abstract: localized("Make a list the current one.", de: "Eine Liste zur aktuellen machen."),
            discussion: discussion(
                examples: """
                    trolley use 'Weekly shop'
                    """))
    }

    @Argument(
        help: .localized("The list, by name or id.", de: "Die Liste, mit Namen oder Kennung."), completion: .lists)
    var list: String

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(named: list)
        try await device.setCurrentList(list.id)
        console.say(
            localized(
                "'\(list.name ?? list.id.description)' is the current list.",
                de: "„\(list.name ?? list.id.description)“ ist jetzt die aktuelle Liste."))
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
        }
    }
}
