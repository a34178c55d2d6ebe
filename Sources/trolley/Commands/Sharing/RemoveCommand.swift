import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RemoveCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "remove",
            abstract: localized(
                "Remove a person from your list; their invitation ends, too.",
                de: "Jemanden von deiner Liste entfernen; auch die Einladung endet."),
            discussion: discussion(
                examples: """
                    trolley remove bob@example.com
                    """))
    }

    @Argument(help: .localized("The person, by email or name.", de: "Die Person, mit E-Mail-Adresse oder Namen."))
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
        console.say(
            localized(
                "\(participant.displayName) is no longer on '\(list.name ?? list.id.description)'.",
                de: "\(participant.displayName) ist nicht mehr auf „\(list.name ?? list.id.description)“."))
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", participant.account?.description)
        }
    }
}
