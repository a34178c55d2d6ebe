import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct LeaveCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "leave",
            abstract: localized(
                "Leave another person's list, or delete your own for everybody.",
                de: "Die Liste von jemand anderem verlassen, oder deine eigene für alle löschen."),
            discussion: discussion(
                examples: """
                    trolley leave --list Party
                    trolley leave --delete --list 'Old shop'
                    """))
    }

    @Flag(
        help: .localized("Delete your own list for everybody on it.", de: "Deine eigene Liste für alle darauf löschen.")
    )
    var delete = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await device.list(list.id).leave(deleting: delete)
        let name = list.name ?? list.id.description
        console.say(
            delete
                ? localized("Deleted '\(name)'.", de: "„\(name)“ gelöscht.")
                : localized("Left '\(name)'.", de: "„\(name)“ verlassen."))
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
        }
    }
}
