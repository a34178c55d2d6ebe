import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct PermissionCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "permission",
        abstract: "Set whether a participant may change your list.",
        discussion: """
            Example:
              trolley permission bob@example.com read-only
            """)

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case readWrite = "read-write"
        case readOnly = "read-only"

        var permission: Permission { self == .readOnly ? .readOnly : .readWrite }
    }

    @Argument(help: "The person, by email or name.")
    var person: String

    @Argument(help: "The new permission: read-write or read-only.")
    var permission: Choice

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let participant = try await device.list(list.id).participants().person(named: person)
        let account = try participant.knownAccount()
        try await device.list(list.id).permit(permission.permission, to: account)
        let may = permission == .readOnly ? "may only read" : "may change"
        console.say("\(participant.displayName) \(may) '\(list.name ?? list.id.description)'.")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", account)
            writer.member("permission", permission.permission.rawValue)
        }
    }
}
