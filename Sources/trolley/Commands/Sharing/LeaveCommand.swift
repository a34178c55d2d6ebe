import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct LeaveCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Leave another person's list, or delete your own for everybody.",
        discussion: """
            Example:
              trolley leave --list Party
              trolley leave --delete --list 'Old shop'
            """)

    @Flag(help: "Delete your own list for everybody on it.")
    var delete = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await device.list(list.id).leave(deleting: delete)
        console.say("\(delete ? "Deleted" : "Left") '\(list.name ?? list.id.description)'.")
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
        }
    }
}
