import ArgumentParser
import TrolleyClient
import TrolleyWire

struct DeclineCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "decline",
            abstract: localized(
                "Decline an invitation. It becomes invalid, and the list's owner is told.",
                de: "Eine Einladung ablehnen. Sie wird ungültig, und die Person, der die Liste gehört, erfährt es."),
            discussion: discussion(
                examples: """
                    trolley decline 'http://localhost:8080/join#SECRET'
                    """))
    }

    @Argument(help: .localized("The link of the invitation.", de: "Der Link der Einladung."))
    var link: String

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        try await device.decline(link)
        console.say(localized("Declined.", de: "Abgelehnt."))
        console.answer { writer in
            writer.key("declined")
            writer.bool(true)
        }
    }
}
