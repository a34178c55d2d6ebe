import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct HandOverCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "hand-over",
        abstract: "Make a participant the owner of your list. You stay on it.",
        discussion: """
            Example:
              trolley hand-over bob@example.com
            """)

    @Argument(help: "The person, by email or name.")
    var person: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let participant = try await device.list(list.id).participants().person(named: person)
        if participant.role == .owner { throw CommandError.isOwner(participant.displayName) }
        let account = try participant.knownAccount()
        try await device.list(list.id).handOver(to: account)
        console.say("'\(list.name ?? list.id.description)' is \(participant.displayName)'s now. You are still on it.")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", account)
        }
    }
}
