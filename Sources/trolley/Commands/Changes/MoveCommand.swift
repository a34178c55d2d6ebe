import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct MoveCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move an item to another place in its list.",
        discussion: """
            Example:
              trolley move milk --after bread
              trolley move milk --top
            """)

    @Argument(help: "The item, by text, position or id.", completion: .items)
    var item: String

    @Option(help: "Put it after this item.", completion: .items)
    var after: String?

    @Flag(help: "Put it at the top.")
    var top = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if top == (after != nil) { throw ValidationError("Give one of --after and --top.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        var place = ListEdit.Place.top
        if let after {
            let list = try await device.list(list)
            place = .after(try console.find(after, among: await device.list(list.id).shownRows()).id)
        }
        try await ItemChange(list: list, verb: "Moved").run([item], on: device, console) { item in
            if case .after(item.id) = place { throw CommandError.afterItself }
            return .move(item.id, place)
        }
    }
}
