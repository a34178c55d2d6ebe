import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct HandOverCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "hand-over",
            abstract: localized(
                "Make a participant the owner of your list. You stay on it.",
                de: "Deine Liste jemandem übergeben, der auf ihr ist. Du bleibst darauf."),
            discussion: discussion(
                examples: """
                    trolley hand-over bob@example.com
                    """))
    }

    @Argument(help: .localized("The person, by email or name.", de: "Die Person, mit E-Mail-Adresse oder Namen."))
    var person: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let participant = try await device.list(list.id).participants().person(named: person)
        if participant.role == .owner { throw CommandError.isOwner(participant.displayName) }
        let account = try participant.knownAccount()
        try await device.list(list.id).handOver(to: account)
        console.say(
            localized(
                "'\(list.name ?? list.id.description)' is \(participant.displayName)'s now. You are still on it.",
                de: """
                    „\(list.name ?? list.id.description)“ gehört jetzt \(participant.displayName). Du bist noch darauf.
                    """))
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", account)
        }
    }
}
