import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct RemoveCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take a person off one's own list.",
        discussion: """
            Example:
              trolley remove bob@example.com
            """)

    @Argument(help: "The person, by email or name.")
    var person: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let wanted = person.lowercased()
        let found = try await device.participants(of: list.id).participants.filter {
            $0.role != .owner && ($0.email?.lowercased() == wanted || $0.name?.lowercased() == wanted)
        }
        guard let participant = found.first, let account = participant.account, found.count == 1 else {
            throw CommandError.noSuchPerson(person)
        }
        try await device.remove(account, from: list.id)
        console.say("\(participant.name ?? person) is no longer on '\(list.name ?? list.id.description)'.")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", account)
        }
    }
}
