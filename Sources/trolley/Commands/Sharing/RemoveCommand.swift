import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RemoveCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a person from your list; their invitation ends, too.",
        discussion: """
            Example:
              trolley remove bob@example.com
            """)

    @Argument(help: "The person, by email or name.")
    var person: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let participant = try await device.list(list.id).participants().person(named: person)
        guard participant.role != .owner else { throw CommandError.noSuchPerson(person) }
        if let account = participant.account {
            try await device.list(list.id).remove(account)
        } else {
            // Invited, but has not joined.
            _ = try await device.list(list.id).withdraw(named: participant.email ?? person)
        }
        console.say("\(participant.displayName) is no longer on '\(list.name ?? list.id.description)'.")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", participant.account?.description)
        }
    }
}
