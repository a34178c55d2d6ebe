import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct MoveCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "move",
            abstract: localized(
                "Move an item to another place in its list.", de: "Einen Eintrag auf seiner Liste verschieben."),
            discussion: discussion(
                examples: """
                    trolley move milk --after bread
                    trolley move milk --top
                    """))
    }

    @Argument(
        help: .localized("The item, by text, position or id.", de: "Der Eintrag, mit Text, Nummer oder Kennung."),
        completion: .items)
    var item: String

    @Option(help: .localized("Put it after this item.", de: "Ihn hinter diesen Eintrag stellen."), completion: .items)
    var after: String?

    @Flag(help: .localized("Put it at the top.", de: "Ihn ganz nach oben stellen."))
    var top = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if top == (after != nil) {
            throw ValidationError(localized("Give one of --after and --top.", de: "Gib --after oder --top an."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        var place = ListEdit.Place.top
        if let after {
            let list = try await device.list(list)
            place = .after(try console.find(after, among: await device.list(list.id).shownRows()).id)
        }
        try await ItemChange(list: list, done: { localized("Moved \($0).", de: "\($0) verschoben.") }).run(
            [item], on: device, console
        ) { item in
            if case .after(item.id) = place { throw CommandError.afterItself }
            return .move(item.id, place)
        }
    }
}
